"""Common subjects of columns in tables about people, and the words for them.

Most words are English, some German, French and Spanish; age, sex and birth are also in other languages,
because they link a person's rows, and so do names. In lower case, without accents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from shoal.describe.roles import Role


@dataclass(frozen=True, slots=True)
class Concept:
    """A common subject of columns.

    Attributes
    ----------
    what
        Its name in reasons.
    phrases
        Each is one or more words; a column name with all words of a phrase matches.
    hipaa
        Its letter among the eighteen identifiers of Safe Harbor.
    hint
        The kind of hierarchy that suits it, where the values alone do not settle it.
    numbers
        Whether its values are numbers; whatever else has such a name is of unknown meaning.
    """

    what: str
    role: Role
    phrases: tuple[str, ...]
    hipaa: str | None = None
    hint: str | None = None
    numbers: bool = False


def _concept(
    what: str,
    role: Role,
    phrases: str,
    hipaa: str | None = None,
    hint: str | None = None,
    *,
    numbers: bool = False,
) -> Concept:
    listed = tuple(" ".join(phrase.casefold().split()) for phrase in phrases.split(","))
    return Concept(what, role, listed, hipaa, hint, numbers)


_I, _Q, _S = Role.IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE
NAME: Final = "the name of a person"
NUMBER_OF_A_PERSON: Final = "a person's number"
OTHER_PERSON: Final = "a person, by name or number"
AT_WORK: Final = "a person at work"
"""These two count only as the head of a name: `judge` and `judge_id`, not `judge_rating`."""

CONCEPTS: Final = (
    _concept(
        NAME,
        _I,
        "name, first name, last name, full name, given name, family name, middle name, maiden name, "
        "surname, firstname, lastname, fullname, forename, fname, lname, vorname, nachname, familienname, "
        "nom, prenom, nombre, apellido, apellidos, initials, given, nome, cognome, sobrenome, voornaam, "
        "achternaam, imie, nazwisko, jmeno, prijmeni, fornavn, etternavn, fornamn, foernamn, "
        "efternamn, etunimi, "
        "sukunimi, soyad, soyadi, имя, фамилия, отчество, фио, ονομα, επωνυμο, 姓名, 氏名",
        "A",
    ),
    _concept(
        "a street address",
        _I,
        "address, addr, street, house number, adresse, anschrift, strasse, hausnummer, rue, calle, "
        "direccion, domicilio",
        "B",
    ),
    _concept(
        "a telephone number",
        _I,
        "phone, telephone, tel, mobile, cellphone, phone number, telefon, telefonnummer, handy, "
        "handynummer, portable, telefono, movil",
        "D",
    ),
    _concept("a fax number", _I, "fax, telefax, faxnummer", "E"),
    _concept("an e-mail address", _I, "email, e mail, mail, email address, correo, courriel", "F"),
    _concept(
        "a social security or tax number",
        _I,
        "ssn, social security, social security number, national insurance, nino, tax id, tin, "
        "sozialversicherungsnummer, svnr, steuer id, steuernummer, dni, nif, nir, numero secu, national "
        "id, personal number, personnummer, personnr, nhs number, nhs no, cpf, bsn, burgerservicenummer, "
        "pesel, codice fiscale, foedselsnummer, fodselsnummer, cpr, aadhaar, curp, ahv, ahv nr, numero "
        "assure",
        "G",
    ),
    _concept(
        "a medical record number",
        _I,
        "mrn, medical record, medical record number, patient number, patient no, chart number, "
        "patientennummer, historia clinica",
        "H",
    ),
    _concept(
        "a case number",
        _I,
        "case number, case no, case id, encounter id, docket, docket number, fallnummer, aktenzeichen, "
        "geschaeftszeichen",
        "R",
    ),
    _concept(
        "a number at a health plan",
        _I,
        "health plan, health plan number, insurance number, insurance id, policy number, beneficiary, "
        "member number, versichertennummer, versicherungsnummer, kvnr",
        "I",
    ),
    _concept(
        "an account number",
        _I,
        "account, account number, account no, acct, iban, bic, bank account, konto, kontonummer, credit "
        "card, card, card number, cc number, kreditkarte, cuenta, compte",
        "J",
    ),
    _concept(
        "a license or passport number",
        _I,
        "license number, licence number, driver license, drivers license, passport, passport number, "
        "certificate number, fuehrerschein, ausweis, ausweisnummer, reisepass, passeport, pasaporte",
        "K",
    ),
    _concept(
        "a vehicle's number",
        _I,
        "vin, license plate, licence plate, number plate, plate number, vehicle id, kennzeichen, "
        "fahrgestellnummer, matricula, immatriculation",
        "L",
    ),
    _concept(
        "a device's number",
        _I,
        "imei, imsi, serial number, serial no, device id, mac address, udid, advertising id, "
        "seriennummer, cookie, cookie id",
        "M",
    ),
    _concept("a web address", _I, "url, website, web site, homepage, web address, webseite", "N"),
    _concept("an IP address", _I, "ip, ip address, ipv4, ipv6, ip addr", "O"),
    _concept("a biometric trait", _I, "fingerprint, voiceprint, biometric, retina, fingerabdruck", "P"),
    _concept("a picture", _I, "photo, photograph, picture, portrait, foto, lichtbild", "Q"),
    _concept(
        NUMBER_OF_A_PERSON,
        _I,
        "person id, patient id, user id, customer id, client id, member id, employee id, student id, "
        "subject id, participant id, respondent id, donor id, personid, patientid, userid, customerid, "
        "employeeid, studentid, username, user name, login, nickname, patient, customer no, customer "
        "number, kundennummer, kundennr, kunden nr, personalnummer, personalnr, personal nr, patientennr, "
        "patienten nr, patienten id, matrikelnummer, matricule, user, subject, participant, employee number, "
        "employee no, staff id, staff number, member no, student number, client number, resident id, "
        "inmate id, offender id, mitarbeiternummer, mitarbeiter nr, emp id, emp no, empno, empid, staff no, "
        "badge, badge number, pid, usr, handle, pseudonym, respondent, respondent number, study id, "
        "screening number, screening no, probanden nr, versicherten id, versicherten nr, voter id, pupil id, "
        "player id, cod paciente, codigo paciente, no dossier, numero dossier",
        "R",
    ),
    _concept(
        AT_WORK,
        _I,
        "doctor, physician, surgeon, nurse, midwife, therapist, dentist, judge, lawyer, attorney, "
        "prosecutor, officer, teacher, tutor, lecturer, manager, supervisor, clerk, cashier, operator, "
        "caregiver, caseworker, investigator, interviewer, driver, arzt, aerztin, hausarzt, pflegekraft, "
        "lehrer, lehrerin, richter, richterin, anwalt, betreuer, sachbearbeiter, medecin, infirmier, "
        "infirmiere, juge, avocat, enseignant, medico, medica, enfermera, enfermero, juez, abogado, "
        "profesor, profesora, docente, giudice, avvocato, insegnante, infermiere, enfermeiro, juiz, "
        "advogado, professor, leraar, rechter, advocaat, huisarts, врач, ιατρος, 医生, 医師",
    ),
    _concept(
        OTHER_PERSON,
        _I,
        "defendant, plaintiff, claimant, applicant, complainant, victim, witness, suspect, inmate, offender, "
        "client, customer, employee, tenant, donor, pupil, schueler, player, guest, passenger, mitarbeiter, "
        "kunde, mandant, angeklagter, klaeger, beklagter, zeuge, attendee, borrower, visitor, rider, "
        "caller, pasien, paziente, paciente, beteg, potilas, pacient, hasta, "
        "пациент, ασθενης, 患者",
        "A",
    ),
    _concept(
        "a record's number",
        _I,
        "id, uid, uuid, guid, key, index, record number, row number, rownum",
        "R",
    ),
    _concept(
        "age",
        _Q,
        "age, iage, alter, edad, age group, agegroup, ageyears, age years, lebensalter, altersgruppe, wiek, "
        "leeftijd, idade, eta, alder, ikae, vek, eletkor, yas, varsta, umur, возраст, ηλικια, 年龄, 年齢",
        "C",
        hint="age",
    ),
    _concept(
        "when somebody was born",
        _Q,
        "birth, birthdate, birth date, birthday, date birth, born, dob, birth year, yob, birth month, "
        "geburtsdatum, geburtstag, geburtsjahr, geburt, gebdat, date naissance, naissance, fecha "
        "nacimiento, nacimiento, urodzenia, geboortedatum, geboortejaar, nascimento, nascita, "
        "fodelsedatum, foedelsedatum, fodselsdato, foedselsdato, syntymaaika, syntymaeaika, "
        "narozeni, dogum, nasterii, "
        "рождения, γεννησης, 出生, 生年月日",
        "C",
    ),
    _concept(
        "when something happened",
        _Q,
        "date, datum, fecha, timestamp, datetime, admission, admitted, discharge, "
        "discharged, admission date, discharge date, death date, date death, deceased, visit date, "
        "visit, order date, month, monat, mois, mes, "
        "quarter, quartal, week, woche, weekday, hour, day, created, updated, aufnahme, aufnahmedatum, "
        "entlassung, entlassungsdatum, sterbedatum, season",
        "C",
    ),
    _concept("the year of something", _Q, "year, jahr, annee, ano"),
    _concept(
        "sex",
        _Q,
        "sex, isex, gender, geschlecht, sexe, sexo, genero, genre, plec, "
        "geslacht, sesso, kon, koen, kjonn, kjoenn, sukupuoli, pohlavi, cinsiyet, kelamin, пол, φυλο, 性别, "
        "性別",
    ),
    _concept(
        "a postcode",
        _Q,
        "zip, zipcode, zip code, zip5, zip4, zip3, postcode, post code, postalcode, postal code, postal, "
        "plz, postleitzahl, code postal, codigo postal, pincode, postnummer, postnr, psc, "
        "kod pocztowy, postinumero",
        "B",
        hint="code",
    ),
    _concept(
        "a place",
        _Q,
        "city, town, village, county, municipality, district, neighborhood, neighbourhood, borough, "
        "census tract, tract, block group, location, place, fips, ort, wohnort, stadt, gemeinde, "
        "landkreis, kreis, stadtteil, ville, commune, ciudad, municipio, barrio, residence",
        "B",
    ),
    _concept(
        "a coordinate",
        _Q,
        "lat, latitude, lon, lng, long, longitude, coordinates, breitengrad, laengengrad, latitud, longitud",
        "B",
        hint="coordinate",
    ),
    _concept(
        "a state or region",
        _Q,
        "state, region, province, bundesland, departement, provincia, statefip, istatenum, canton, kanton, "
        "metro, rural, urban",
    ),
    _concept(
        "a country or origin",
        _Q,
        "country, native country, birth country, country birth, birthplace, birth place, origin, "
        "nationality, citizenship, citizen, land, staat, herkunft, geburtsort, geburtsland, "
        "nationalitaet, nationalitat, staatsangehoerigkeit, staatsangehorigkeit, pays, nationalite, pais, "
        "nacionalidad, immigrant, immigration, migration",
    ),
    _concept(
        "race or ethnicity",
        _Q,
        "race, racea, irace, ihispanic, ethnicity, ethnic, ethnic group, hispanic, latino, ethnie, raza",
    ),
    _concept(
        "marital status",
        _Q,
        "marital, marital status, maritl, marstat, married, marriage, civil status, spouse, divorced, "
        "familienstand, etat civil, situation familiale, estado civil",
    ),
    _concept(
        "education",
        _Q,
        "education, educ, school, schooling, degree, qualification, college, university, student, "
        "bildung, schulabschluss, abschluss, ausbildung, studium, diplome, etudes, estudios, educacion, "
        "nivel estudios",
        hint="ordinal",
    ),
    _concept(
        "work or occupation",
        _Q,
        "occupation, job, job title, jobclass, job class, profession, workclass, work class, work, "
        "employer, employment, labor force, labour force, industry, position, beruf, taetigkeit, "
        "tatigkeit, arbeitgeber, branche, metier, emploi, employeur, profesion, ocupacion, empleo, "
        "veteran, military, hours per week",
    ),
    _concept(
        "a department",
        _Q,
        "department, ward, specialty, abteilung, fachrichtung, fachabteilung, reparto, departamento, "
        "precinct, crime beat, parish, treatment room, prison cell, cost centre, cost center, kostenstelle",
    ),
    _concept("language", _Q, "language, mother tongue, sprache, muttersprache, langue, idioma, lengua"),
    _concept(
        "family and household",
        _Q,
        "children, kids, household, household size, family size, family, relationship, dependents, "
        "dependants, siblings, pernum, kinder, haushalt, haushaltsgroesse, enfants, hijos, hogar",
    ),
    _concept(
        "the look of a person",
        _Q,
        "height, weight, body weight, eye color, eye colour, hair color, hair colour, skin color, "
        "groesse, koerpergroesse, gewicht, taille, poids, altura, estatura, peso",
    ),
    _concept(
        "sexual orientation",
        _S,
        "sexual orientation, sexuality, sex life, sexual, orientation sexuelle, orientacion sexual, "
        "sexuelle orientierung",
    ),
    _concept(
        "health",
        _S,
        "diagnosis, diagnoses, diagnose, diagnostic, diagnostico, dx, disease, illness, icd, icd9, icd10, "
        "icd 10, icd code, health, health status, health insurance, medical condition, medical, "
        "condition, comorbidity, symptom, symptoms, treatment, medication, drug, drugs, therapy, surgery, "
        "prescription, hiv, aids, cancer, tumor, diabetes, pregnancy, pregnant, disability, disabled, "
        "allergy, allergies, mental, psychiatric, depression, suicide, smoker, smoking, alcohol, "
        "addiction, injury, cholesterol, glucose, hba1c, blood pressure, blood type, blood group, bmi, "
        "vaccination, vaccinated, infection, krankheit, erkrankung, gesundheit, behandlung, medikament, "
        "schwangerschaft, behinderung, raucher, maladie, sante, traitement, handicap, grossesse, "
        "enfermedad, salud, tratamiento, embarazo, discapacidad",
    ),
    _concept("genes", _S, "genetic, genotype, genome, dna, mutation, snp, gendefekt"),
    _concept(
        "income or wealth",
        _S,
        "income, salary, salary class, wage, wages, log wage, earnings, pay, bonus, compensation, debt, "
        "loan, mortgage, credit, credit score, creditworthiness, balance, wealth, net worth, assets, "
        "savings, capital gain, capital loss, pension, benefits, rent, revenue, gehalt, lohn, einkommen, "
        "verdienst, vermoegen, schulden, rente, salaire, revenu, dette, salario, sueldo, ingreso, "
        "ingresos, renta, deuda",
    ),
    _concept(
        "a measurement or an amount",
        _S,
        "pulse, heart rate, systolic, diastolic, temperature, creatinine, hemoglobin, haemoglobin, "
        "glucosio, glukose, glucosa, pain, dose, result, results, resultado, resultat, risultato, "
        "ergebnis, messwert, wynik, score, satisfaction, wellbeing, length stay, duration, sentence "
        "months, charges, cost, costs, fee, premium, payment, expenses, kosten, betrag, beitrag, cout, "
        "montant, costo, importe, importo, salaris, loon, stipendio, wynagrodzenie",
        numbers=True,
    ),
    _concept(
        "an outcome or a decision",
        _S,
        "outcome, decision, verdict, churn, defaulted, hospitalized, hospitalised, decede, relapse, "
        "reason absence, complication, complications",
    ),
    _concept(
        "religion or belief",
        _S,
        "religion, religious, faith, belief, church, konfession, glaube, creencia",
    ),
    _concept(
        "political opinion",
        _S,
        "political, politics, political party, party affiliation, vote, voting, voted, ideology, trade "
        "union, union member, partei, gewerkschaft, politique, syndicat, politica, sindicato, voto",
    ),
    _concept(
        "crime or punishment",
        _S,
        "crime, criminal, criminal record, offence, offense, conviction, convicted, arrest, arrests, "
        "prison, felony, vorstrafe, straftat, delit, delito, recidivism",
    ),
    _concept("marks", _S, "gpa, exam score, test score, marks, schulnote, calificacion"),
)
"""Where several match a name, the phrase with the most words counts."""
