//! Who signs, and who is believed.
//!
//! A directory holds both: `signing.key` (a secret, readable by its owner only) and `trusted.keys` (a line for each
//! signer: a name and the public key). An own key is always believed. Everything here is text, so that it can be
//! put under version control or into a secret of a build server.

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use stet_key::Digest;

const SIGNING: &str = "signing.key";
const TRUSTED: &str = "trusted.keys";
const MARK: &str = "stet-signing-key-1";

/// A secret key with the name of its owner.
pub struct Signer {
    name: String,
    key: SigningKey,
}

impl fmt::Debug for Signer {
    /// Without the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signer({})", self.name)
    }
}

impl Signer {
    /// A new key.
    pub fn generate(name: &str) -> io::Result<Self> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self::from_seed(name, seed))
    }

    /// The key with this secret.
    pub fn from_seed(name: &str, seed: [u8; 32]) -> Self {
        Signer {
            name: name.to_owned(),
            key: SigningKey::from_bytes(&seed),
        }
    }

    /// Reads the text of a key, as [`text`](Self::text) writes it.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let (mark, name, seed) = (words.next()?, words.next()?, words.next()?);
        let seed = Digest::from_hex(seed).filter(|_| mark == MARK)?;
        words
            .next()
            .is_none()
            .then(|| Self::from_seed(name, seed.0))
    }

    /// The secret as one line of text.
    pub fn text(&self) -> String {
        format!(
            "{MARK} {} {}\n",
            self.name,
            Digest(self.key.to_bytes()).to_hex()
        )
    }

    /// The name of the owner.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The public key.
    pub fn public(&self) -> VerifyingKey {
        self.key.verifying_key()
    }

    /// The public key in hexadecimal digits.
    pub fn public_hex(&self) -> String {
        Digest(*self.public().as_bytes()).to_hex()
    }

    pub(crate) fn sign(&self, message: &[u8]) -> Signature {
        self.key.sign(message)
    }
}

/// Whose entries are believed: names and public keys.
#[derive(Clone, Default, Debug)]
pub struct Trust {
    signers: Vec<(String, [u8; 32])>,
}

impl Trust {
    /// A list of these.
    pub fn of<'a>(signers: impl IntoIterator<Item = (&'a str, [u8; 32])>) -> Self {
        let signers = signers.into_iter();
        Trust {
            signers: signers.map(|(name, key)| (name.to_owned(), key)).collect(),
        }
    }

    /// Whether a public key is on the list.
    pub fn contains(&self, key: &[u8; 32]) -> bool {
        self.signers.iter().any(|(_, trusted)| trusted == key)
    }

    /// The name of a public key in hexadecimal digits.
    pub fn name_of(&self, key: &str) -> Option<&str> {
        let key = Digest::from_hex(key)?;
        let mut signers = self.signers.iter();
        let found = signers.find(|(_, trusted)| *trusted == key.0);
        found.map(|(name, _)| name.as_str())
    }

    /// Names and public keys in hexadecimal digits.
    pub fn list(&self) -> impl Iterator<Item = (&str, String)> {
        let signers = self.signers.iter();
        signers.map(|(name, key)| (name.as_str(), Digest(*key).to_hex()))
    }

    /// Puts a signer on the list; a name stands for one key.
    pub fn add(&mut self, name: &str, key: [u8; 32]) {
        self.remove(name);
        self.signers.push((name.to_owned(), key));
    }

    /// Takes a signer from the list; whether it was there.
    pub fn remove(&mut self, name: &str) -> bool {
        let before = self.signers.len();
        self.signers.retain(|(signer, _)| signer != name);
        self.signers.len() < before
    }
}

/// A public key from its hexadecimal digits; `None` unless it is one.
pub fn public_key(text: &str) -> Option<[u8; 32]> {
    let key = Digest::from_hex(text)?.0;
    let verifier = VerifyingKey::from_bytes(&key).ok()?;
    (!verifier.is_weak()).then_some(key)
}

/// Whether a name can stand in the files: one word, of letters, digits and a few marks.
pub fn is_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_alphanumeric() || "-_.@+".contains(c);
    !name.is_empty() && name.len() <= 100 && name.chars().all(is_allowed)
}

/// The signing key in a directory; `Ok(None)` if there is none.
pub fn read_signer(directory: &Path) -> io::Result<Option<Signer>> {
    let Some(text) = read(&directory.join(SIGNING))? else {
        return Ok(None);
    };
    Signer::parse(&text)
        .map(Some)
        .ok_or_else(|| damaged(&directory.join(SIGNING)))
}

/// Writes a new signing key; an error if there is one already.
pub fn write_signer(directory: &Path, signer: &Signer) -> io::Result<()> {
    std::fs::create_dir_all(directory)?;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(directory.join(SIGNING))?;
    file.write_all(signer.text().as_bytes())?;
    file.sync_all()
}

/// The trusted signers in a directory; none if there is no list.
pub fn read_trust(directory: &Path) -> io::Result<Trust> {
    let path = directory.join(TRUSTED);
    let text = read(&path)?.unwrap_or_default();
    let mut trust = Trust::default();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, key) = line.split_once(' ').ok_or_else(|| damaged(&path))?;
        let key = public_key(key.trim()).ok_or_else(|| damaged(&path))?;
        trust.add(name, key);
    }
    Ok(trust)
}

/// Replaces the list of trusted signers in one step.
pub fn write_trust(directory: &Path, trust: &Trust) -> io::Result<()> {
    std::fs::create_dir_all(directory)?;
    let mut draft = tempfile::NamedTempFile::new_in(directory)?;
    for (name, key) in trust.list() {
        writeln!(draft, "{name} {key}")?;
    }
    draft
        .persist(directory.join(TRUSTED))
        .map_err(|error| error.error)?;
    Ok(())
}

fn read(path: &Path) -> io::Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn damaged(path: &Path) -> io::Error {
    let message = format!("`{}` is not what `stet cache keys` writes", path.display());
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_survive_their_files() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path().join("keys");
        assert!(read_signer(&directory).unwrap().is_none());
        assert_eq!(read_trust(&directory).unwrap().list().count(), 0);
        let signer = Signer::generate("ci").unwrap();
        write_signer(&directory, &signer).unwrap();
        assert!(write_signer(&directory, &signer).is_err(), "never replaced");
        let read = read_signer(&directory).unwrap().unwrap();
        assert_eq!(read.public_hex(), signer.public_hex());
        let mut trust = Trust::default();
        trust.add("ci", *signer.public().as_bytes());
        write_trust(&directory, &trust).unwrap();
        let mut trust = read_trust(&directory).unwrap();
        assert_eq!(trust.name_of(&signer.public_hex()), Some("ci"));
        assert!(trust.remove("ci") && !trust.remove("ci"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let data = std::fs::metadata(directory.join(SIGNING)).unwrap();
            assert_eq!(data.permissions().mode() & 0o077, 0);
        }
    }

    #[test]
    fn damaged_files_are_errors() {
        let directory = tempfile::tempdir().unwrap();
        for text in ["", "x", "stet-signing-key-1 ci 00", "stet-signing-key-2 ci"] {
            std::fs::write(directory.path().join(SIGNING), text).unwrap();
            assert!(read_signer(directory.path()).is_err(), "{text}");
        }
        std::fs::write(directory.path().join(TRUSTED), "ci nonsense").unwrap();
        assert!(read_trust(directory.path()).is_err());
        assert!(public_key(&"0".repeat(64)).is_none(), "a weak key");
    }
}
