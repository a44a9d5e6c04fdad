//! Programs, and what the user adds to them.

use rusqlite::types::ToSql;
use rusqlite::{OptionalExtension as _, Row};

use crate::branches::BranchRow;
use crate::entry::{CHECKSUM_START, checksum};
use crate::seal::{BREAKPOINT, MOCK, NOTE, PLACE, PRIMITIVE, PROGRAM, SETTING};
use crate::store::LONGEST_VALUE;
use crate::{Damage, KeptPlace, Store, StoreError, Upload};

/// A program that is about to be saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewProgram<'a> {
    /// Its file's name, for people.
    pub name: &'a str,
    /// The module.
    pub bytes: &'a [u8],
    /// The board file it ran on, or nothing for the usual board.
    pub board: &'a str,
    /// What the numbers in its entries stand for.
    pub primitives: &'a [KeptPrimitive],
    /// When it was uploaded, in ms since 1970.
    pub at_ms: i64,
}

/// A primitive's name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeptPrimitive {
    /// The module it is imported from.
    pub module: String,
    /// Its name there.
    pub name: String,
}

/// A saved program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptProgram {
    /// Its file's name, for people.
    pub name: String,
    /// The module.
    pub bytes: Vec<u8>,
    /// The board file it ran on.
    pub board: String,
    /// What the numbers in its entries stand for.
    pub primitives: Vec<KeptPrimitive>,
    /// When it was uploaded, in ms since 1970.
    pub at_ms: i64,
}

/// A saved program without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramInfo {
    /// Which version.
    pub upload: Upload,
    /// Its file's name, for people.
    pub name: String,
    /// The hash of the module: 64-bit FNV-1a, as on the wire.
    pub hash: u64,
    /// When it was uploaded, in ms since 1970.
    pub at_ms: i64,
}

/// What a user wrote about a moment: a bookmark, or a text. A moment can have one text and any number of bookmarks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The moment.
    pub place: KeptPlace,
    /// Its name, if it is a bookmark.
    pub name: Option<String>,
    /// The text.
    pub text: String,
    /// When it was written, in ms since 1970.
    pub at_ms: i64,
}

/// A breakpoint; what it says is the session's business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptBreakpoint {
    /// Its number.
    pub id: u32,
    /// Switched on.
    pub enabled: bool,
    /// What it waits for, as JSON.
    pub spec: String,
}

/// A mock; what it says is the session's business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptMock {
    /// What it stands in for.
    pub call: String,
    /// Its values, as JSON.
    pub spec: String,
}

/// Who stands somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Who {
    /// The moment that the user looks at.
    User,
    /// The moment that the device is in.
    Device,
}

impl Who {
    fn key(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Device => "device",
        }
    }
}

impl Store {
    /// Saves a version of the program, with an empty multiverse: branch 0 is its root.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] for a module of more than 64 MiB or too many primitives.
    pub fn add_program(&self, program: &NewProgram<'_>) -> Result<Upload, StoreError> {
        let longest = program.bytes.len().max(program.board.len());
        if longest > LONGEST_VALUE / 2 {
            return Err(StoreError::TooLarge("program"));
        }
        let hash = checksum(CHECKSUM_START, program.bytes);
        self.write(|db| {
            let next = "SELECT coalesce(max(upload), -1) + 1 FROM program";
            let upload = Upload(db.query_row(next, [], |row| row.get(0))?);
            PROGRAM.insert(
                db,
                &self.seals,
                &[
                    &upload.0,
                    &program.name,
                    &format!("{hash:016x}"),
                    &program.bytes,
                    &program.board,
                    &program.at_ms,
                ],
            )?;
            for (number, primitive) in program.primitives.iter().enumerate() {
                let number = u16::try_from(number).map_err(|_| StoreError::TooLarge("board"))?;
                let (module, name) = (&primitive.module, &primitive.name);
                PRIMITIVE.insert(db, &self.seals, &[&upload.0, &number, module, name])?;
            }
            BranchRow::add(db, &self.seals, upload, 0, None)?;
            Ok(upload)
        })
    }

    /// The versions of the program, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the table holds what no Borges writes.
    pub fn programs(&self) -> Result<Vec<ProgramInfo>, StoreError> {
        let found = PROGRAM.read(&self.db, "ORDER BY upload", &[], |row| {
            let hash: String = row.get(2)?;
            Ok(ProgramInfo {
                upload: Upload(row.get(0)?),
                name: row.get(1)?,
                hash: u64::from_str_radix(&hash, 16).map_err(|_| rusqlite::Error::InvalidQuery)?,
                at_ms: row.get(5)?,
            })
        });
        found.map_err(|error| match error {
            StoreError::Database(rusqlite::Error::InvalidQuery) => Damage::Value("program").into(),
            other => other,
        })
    }

    /// A version of the program.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if there is none, [`Damage::Program`] if it is not the one that was saved.
    pub fn program(&self, upload: Upload) -> Result<KeptProgram, StoreError> {
        let rest = "WHERE +upload = ?1 ORDER BY +number";
        let primitives = PRIMITIVE.read(&self.db, rest, &[&upload.0], |row| {
            Ok(KeptPrimitive {
                module: row.get(2)?,
                name: row.get(3)?,
            })
        })?;
        let found = PROGRAM.read(&self.db, "WHERE +upload = ?1", &[&upload.0], |row| {
            Ok((
                row.get::<_, String>(1)?,
                row.get::<_, String>(2)?,
                row.get::<_, Vec<u8>>(3)?,
                row.get(4)?,
                row.get(5)?,
            ))
        })?;
        let Some((name, hash, bytes, board, at_ms)) = found.into_iter().next() else {
            let there = "SELECT 1 FROM program WHERE upload = ?1";
            return Err(match self.db.prepare(there)?.exists([upload.0])? {
                true => Damage::Program { upload: upload.0 }.into(),
                false => StoreError::Unknown("version of the program"),
            });
        };
        if format!("{:016x}", checksum(CHECKSUM_START, &bytes)) != hash {
            return Err(Damage::Program { upload: upload.0 }.into());
        }
        Ok(KeptProgram {
            name,
            bytes,
            board,
            primitives,
            at_ms,
        })
    }

    /// Writes a note or a bookmark, in place of the one of that name at the same moment.
    ///
    /// # Errors
    /// As for every change, if it cannot be written.
    pub fn put_note(&self, note: &Note) -> Result<(), StoreError> {
        let place = note.place;
        let name = note.name.as_deref().unwrap_or_default();
        self.write(|db| {
            NOTE.put(
                db,
                &self.seals,
                &[
                    &place.upload.0,
                    &place.branch,
                    &place.position,
                    &place.agent,
                    &place.steps,
                    &name,
                    &note.text,
                    &note.at_ms,
                ],
            )
        })
    }

    /// Removes the note at a moment, or the bookmark of a name there, if there is one.
    ///
    /// # Errors
    /// As for every change, if it cannot be written.
    pub fn remove_note(&self, place: KeptPlace, name: Option<&str>) -> Result<(), StoreError> {
        let name = name.unwrap_or_default();
        self.write(|db| {
            let key: [&dyn ToSql; 6] = [
                &place.upload.0,
                &place.branch,
                &place.position,
                &place.agent,
                &place.steps,
                &name,
            ];
            NOTE.remove(db, &self.seals, &key).map(drop)
        })
    }

    /// All notes.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the table holds what no Borges writes.
    pub fn notes(&self) -> Result<Vec<Note>, StoreError> {
        let rest = "ORDER BY +upload, branch, position, agent, steps, name";
        NOTE.read(&self.db, rest, &[], |row| {
            Ok(Note {
                place: place(row, 0)?,
                name: Some(row.get(5)?).filter(|name: &String| !name.is_empty()),
                text: row.get(6)?,
                at_ms: row.get(7)?,
            })
        })
    }

    /// Adds a breakpoint, or changes the one with its number.
    ///
    /// # Errors
    /// As for every change, if it cannot be written.
    pub fn put_breakpoint(&self, breakpoint: &KeptBreakpoint) -> Result<(), StoreError> {
        let KeptBreakpoint { id, enabled, spec } = breakpoint;
        self.write(|db| BREAKPOINT.put(db, &self.seals, &[id, enabled, spec]))
    }

    /// Removes a breakpoint, if there is one of that number.
    ///
    /// # Errors
    /// As for every change, if it cannot be written.
    pub fn remove_breakpoint(&self, id: u32) -> Result<(), StoreError> {
        self.write(|db| BREAKPOINT.remove(db, &self.seals, &[&id]).map(drop))
    }

    /// All breakpoints, by number.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the table holds what no Borges writes.
    pub fn breakpoints(&self) -> Result<Vec<KeptBreakpoint>, StoreError> {
        BREAKPOINT.read(&self.db, "ORDER BY id", &[], |row| {
            Ok(KeptBreakpoint {
                id: row.get(0)?,
                enabled: row.get(1)?,
                spec: row.get(2)?,
            })
        })
    }

    /// Adds a mock, or changes the one for the same call.
    ///
    /// # Errors
    /// As for every change, if it cannot be written.
    pub fn put_mock(&self, mock: &KeptMock) -> Result<(), StoreError> {
        self.write(|db| {
            // Who is changed keeps its place among the others.
            let id = "SELECT coalesce(
                (SELECT id FROM mock WHERE call = ?1), (SELECT max(id) + 1 FROM mock), 1)";
            let id: i64 = db.query_row(id, [&mock.call], |row| row.get(0))?;
            MOCK.put(db, &self.seals, &[&id, &mock.call, &mock.spec])
        })
    }

    /// Removes the mock for a call, if there is one.
    ///
    /// # Errors
    /// As for every change, if it cannot be written.
    pub fn remove_mock(&self, call: &str) -> Result<(), StoreError> {
        self.write(|db| {
            let id = "SELECT id FROM mock WHERE call = ?1";
            let id = db.query_row(id, [call], |row| row.get::<_, i64>(0));
            match id.optional()? {
                Some(id) => MOCK.remove(db, &self.seals, &[&id]).map(drop),
                None => Ok(()),
            }
        })
    }

    /// All mocks, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the table holds what no Borges writes.
    pub fn mocks(&self) -> Result<Vec<KeptMock>, StoreError> {
        MOCK.read(&self.db, "ORDER BY id", &[], |row| {
            Ok(KeptMock {
                call: row.get(1)?,
                spec: row.get(2)?,
            })
        })
    }

    /// Sets a setting.
    ///
    /// # Errors
    /// As for every change, if it cannot be written.
    pub fn set_setting(&self, key: &str, value: &str) -> Result<(), StoreError> {
        self.write(|db| SETTING.put(db, &self.seals, &[&key, &value]))
    }

    /// A setting, if it was ever set.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the table holds what no Borges writes.
    pub fn setting(&self, key: &str) -> Result<Option<String>, StoreError> {
        // Where rows are damaged, the search may lead past others.
        let rest = match self.damage().is_empty() {
            true => "WHERE key = ?1",
            false => "WHERE +key = ?1",
        };
        let found = SETTING.read(&self.db, rest, &[&key], |row| row.get(1));
        Ok(found?.pop())
    }

    /// Says where the user or the device is.
    ///
    /// # Errors
    /// As for every change, if it cannot be written.
    pub fn set_place(&self, who: Who, place: KeptPlace) -> Result<(), StoreError> {
        self.write(|db| {
            PLACE.put(
                db,
                &self.seals,
                &[
                    &who.key(),
                    &place.upload.0,
                    &place.branch,
                    &place.position,
                    &place.agent,
                    &place.steps,
                ],
            )
        })
    }

    /// Where the user or the device is.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the table holds what no Borges writes.
    pub fn place(&self, who: Who) -> Result<Option<KeptPlace>, StoreError> {
        let found = PLACE.read(&self.db, "WHERE +who = ?1", &[&who.key()], |row| {
            place(row, 1)
        });
        Ok(found?.pop())
    }
}

/// Five columns of a row, from one on, as a moment.
fn place(row: &Row<'_>, from: usize) -> rusqlite::Result<KeptPlace> {
    Ok(KeptPlace {
        upload: Upload(row.get(from)?),
        branch: row.get(from + 1)?,
        position: row.get(from + 2)?,
        agent: row.get(from + 3)?,
        steps: row.get(from + 4)?,
    })
}
