//! Programs, and what the user adds to them.

use rusqlite::{OptionalExtension as _, Row, params};

use crate::branches::insert_branch;
use crate::entry::{CHECKSUM_START, checksum};
use crate::open::LONGEST_VALUE;
use crate::{Damage, Place, Store, StoreError, Upload};

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
    pub primitives: &'a [Primitive],
    /// When it was uploaded, in ms since 1970.
    pub at_ms: i64,
}

/// A primitive's name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Primitive {
    /// The module it is imported from.
    pub module: String,
    /// Its name there.
    pub name: String,
}

/// A saved program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its file's name, for people.
    pub name: String,
    /// The module.
    pub bytes: Vec<u8>,
    /// The board file it ran on.
    pub board: String,
    /// What the numbers in its entries stand for.
    pub primitives: Vec<Primitive>,
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

/// What a user wrote about a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The moment.
    pub place: Place,
    /// Its name, if it is a bookmark.
    pub name: Option<String>,
    /// The text.
    pub text: String,
    /// When it was written, in ms since 1970.
    pub at_ms: i64,
}

/// A breakpoint; what it says is the session's business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakpoint {
    /// Its number.
    pub id: u32,
    /// Switched on.
    pub enabled: bool,
    /// What it waits for, as JSON.
    pub spec: String,
}

/// A mock; what it says is the session's business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mock {
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
    /// [`StoreError::TooLarge`] for a module of more than 128 MiB or too many primitives.
    pub fn add_program(&self, program: &NewProgram<'_>) -> Result<Upload, StoreError> {
        let longest = program.bytes.len().max(program.board.len());
        if longest > LONGEST_VALUE / 2 {
            return Err(StoreError::TooLarge("program"));
        }
        let hash = checksum(CHECKSUM_START, program.bytes);
        self.write(|db| {
            let next = "SELECT coalesce(max(upload), -1) + 1 FROM program";
            let upload = Upload(db.query_row(next, [], |row| row.get(0))?);
            db.execute(
                "INSERT INTO program (upload, name, hash, bytes, board, at_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![
                    upload.0,
                    program.name,
                    format!("{hash:016x}"),
                    program.bytes,
                    program.board,
                    program.at_ms
                ],
            )?;
            let mut insert = db.prepare_cached(
                "INSERT INTO primitive (upload, number, module, name) VALUES (?1, ?2, ?3, ?4)",
            )?;
            for (number, primitive) in program.primitives.iter().enumerate() {
                let number = u16::try_from(number).map_err(|_| StoreError::TooLarge("board"))?;
                insert.execute(params![upload.0, number, primitive.module, primitive.name])?;
            }
            insert_branch(db, upload, 0, None)?;
            Ok(upload)
        })
    }

    /// The versions of the program, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the table is not as it was written.
    pub fn programs(&self) -> Result<Vec<ProgramInfo>, StoreError> {
        let select = "SELECT upload, name, hash, at_ms FROM program ORDER BY upload";
        self.list(select, |row| {
            let hash: String = row.get(2)?;
            Ok(ProgramInfo {
                upload: Upload(row.get(0)?),
                name: row.get(1)?,
                hash: u64::from_str_radix(&hash, 16).map_err(|_| rusqlite::Error::InvalidQuery)?,
                at_ms: row.get(3)?,
            })
        })
    }

    /// A version of the program.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if there is none, [`Damage::Program`] if it does not have its hash.
    pub fn program(&self, upload: Upload) -> Result<Program, StoreError> {
        let select = "SELECT module, name FROM primitive WHERE upload = ?1 ORDER BY number";
        let db = &self.db;
        let primitives = db
            .prepare_cached(select)?
            .query_map([upload.0], |row| {
                Ok(Primitive {
                    module: row.get(0)?,
                    name: row.get(1)?,
                })
            })?
            .collect::<Result<_, _>>()?;
        let select = "SELECT name, bytes, board, at_ms, hash FROM program WHERE upload = ?1";
        let (program, hash) = db
            .query_row(select, [upload.0], |row| {
                let program = Program {
                    name: row.get(0)?,
                    bytes: row.get(1)?,
                    board: row.get(2)?,
                    primitives,
                    at_ms: row.get(3)?,
                };
                Ok((program, row.get::<_, String>(4)?))
            })
            .optional()?
            .ok_or(StoreError::Unknown("version of the program"))?;
        if format!("{:016x}", checksum(CHECKSUM_START, &program.bytes)) != hash {
            return Err(Damage::Program { upload: upload.0 }.into());
        }
        Ok(program)
    }

    /// Writes a note, in place of one at the same moment.
    ///
    /// # Errors
    /// As for every change, if it cannot be written.
    pub fn put_note(&self, note: &Note) -> Result<(), StoreError> {
        let place = note.place;
        self.write(|db| {
            db.prepare_cached(
                "INSERT OR REPLACE INTO note (upload, branch, position, steps, name, text, at_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![
                place.upload.0,
                place.branch,
                place.position,
                place.steps,
                note.name,
                note.text,
                note.at_ms
            ])?;
            Ok(())
        })
    }

    /// Removes the note at a moment, if there is one.
    ///
    /// # Errors
    /// As for every change, if it cannot be written.
    pub fn remove_note(&self, place: Place) -> Result<(), StoreError> {
        self.write(|db| {
            db.execute(
                "DELETE FROM note
                 WHERE upload = ?1 AND branch = ?2 AND position = ?3 AND steps = ?4",
                params![place.upload.0, place.branch, place.position, place.steps],
            )?;
            Ok(())
        })
    }

    /// All notes.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the table is not as it was written.
    pub fn notes(&self) -> Result<Vec<Note>, StoreError> {
        let select = "SELECT upload, branch, position, steps, name, text, at_ms FROM note
                      ORDER BY upload, branch, position, steps";
        self.list(select, |row| {
            Ok(Note {
                place: place(row)?,
                name: row.get(4)?,
                text: row.get(5)?,
                at_ms: row.get(6)?,
            })
        })
    }

    /// Adds a breakpoint, or changes the one with its number.
    ///
    /// # Errors
    /// As for every change, if it cannot be written.
    pub fn put_breakpoint(&self, breakpoint: &Breakpoint) -> Result<(), StoreError> {
        self.write(|db| {
            db.execute(
                "INSERT OR REPLACE INTO breakpoint (id, enabled, spec) VALUES (?1, ?2, ?3)",
                params![breakpoint.id, breakpoint.enabled, breakpoint.spec],
            )?;
            Ok(())
        })
    }

    /// Removes a breakpoint, if there is one of that number.
    ///
    /// # Errors
    /// As for every change, if it cannot be written.
    pub fn remove_breakpoint(&self, id: u32) -> Result<(), StoreError> {
        self.write(|db| {
            db.execute("DELETE FROM breakpoint WHERE id = ?1", [id])?;
            Ok(())
        })
    }

    /// All breakpoints, by number.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the table is not as it was written.
    pub fn breakpoints(&self) -> Result<Vec<Breakpoint>, StoreError> {
        self.list(
            "SELECT id, enabled, spec FROM breakpoint ORDER BY id",
            |row| {
                Ok(Breakpoint {
                    id: row.get(0)?,
                    enabled: row.get(1)?,
                    spec: row.get(2)?,
                })
            },
        )
    }

    /// Adds a mock, or changes the one for the same call.
    ///
    /// # Errors
    /// As for every change, if it cannot be written.
    pub fn put_mock(&self, mock: &Mock) -> Result<(), StoreError> {
        self.write(|db| {
            db.execute(
                "INSERT INTO mock (call, spec) VALUES (?1, ?2)
                 ON CONFLICT (call) DO UPDATE SET spec = excluded.spec",
                params![mock.call, mock.spec],
            )?;
            Ok(())
        })
    }

    /// Removes the mock for a call, if there is one.
    ///
    /// # Errors
    /// As for every change, if it cannot be written.
    pub fn remove_mock(&self, call: &str) -> Result<(), StoreError> {
        self.write(|db| {
            db.execute("DELETE FROM mock WHERE call = ?1", [call])?;
            Ok(())
        })
    }

    /// All mocks, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the table is not as it was written.
    pub fn mocks(&self) -> Result<Vec<Mock>, StoreError> {
        self.list("SELECT call, spec FROM mock ORDER BY id", |row| {
            Ok(Mock {
                call: row.get(0)?,
                spec: row.get(1)?,
            })
        })
    }

    /// Sets a setting.
    ///
    /// # Errors
    /// As for every change, if it cannot be written.
    pub fn set_setting(&self, key: &str, value: &str) -> Result<(), StoreError> {
        self.write(|db| {
            db.execute(
                "INSERT OR REPLACE INTO setting (key, value) VALUES (?1, ?2)",
                [key, value],
            )?;
            Ok(())
        })
    }

    /// A setting, if it was ever set.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the table is not as it was written.
    pub fn setting(&self, key: &str) -> Result<Option<String>, StoreError> {
        let select = "SELECT value FROM setting WHERE key = ?1";
        Ok(self
            .db
            .query_row(select, [key], |row| row.get(0))
            .optional()?)
    }

    /// Says where the user or the device is.
    ///
    /// # Errors
    /// As for every change, if it cannot be written.
    pub fn set_place(&self, who: Who, place: Place) -> Result<(), StoreError> {
        self.write(|db| {
            db.prepare_cached(
                "INSERT OR REPLACE INTO place (who, upload, branch, position, steps)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![
                who.key(),
                place.upload.0,
                place.branch,
                place.position,
                place.steps
            ])?;
            Ok(())
        })
    }

    /// Where the user or the device is.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the table is not as it was written.
    pub fn place(&self, who: Who) -> Result<Option<Place>, StoreError> {
        let select = "SELECT upload, branch, position, steps FROM place WHERE who = ?1";
        Ok(self.db.query_row(select, [who.key()], place).optional()?)
    }

    fn list<T>(
        &self,
        select: &str,
        row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let db = &self.db;
        let mut statement = db.prepare_cached(select)?;
        let rows = statement.query_map([], row)?;
        let rows = rows.collect::<Result<_, _>>();
        rows.map_err(|error| match error {
            rusqlite::Error::InvalidQuery => Damage::Value("program").into(),
            other => other.into(),
        })
    }
}

/// The first four columns of a row as a moment.
pub(crate) fn place(row: &Row<'_>) -> rusqlite::Result<Place> {
    Ok(Place {
        upload: Upload(row.get(0)?),
        branch: row.get(1)?,
        position: row.get(2)?,
        steps: row.get(3)?,
    })
}
