//! Redis or Valkey: an object is a string under `stet:ADDRESS`; many of them go in one pipeline.

use super::{Link, LinkError, Progress, SOCKET_TIMEOUT};
use redis::{Connection, ErrorKind, RedisError};
use stet_key::Digest;

/// Large objects are fetched in pieces of this size, so that progress shows.
const PIECE: usize = 1 << 20;

/// A connection to a Redis server, made on first use and again after a failure.
pub(super) struct Redis {
    url: String,
    connection: Option<Connection>,
}

impl Redis {
    pub(super) fn new(url: String) -> Self {
        Redis {
            url,
            connection: None,
        }
    }

    fn with<T>(
        &mut self,
        work: impl FnOnce(&mut Connection) -> Result<T, RedisError>,
    ) -> Result<T, LinkError> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => connect(&self.url)?,
        };
        let value = work(&mut connection).map_err(fault)?;
        self.connection = Some(connection);
        Ok(value)
    }
}

/// A connection with time-outs.
pub(crate) fn connect(url: &str) -> Result<Connection, LinkError> {
    let connect = || {
        let client = redis::Client::open(url)?;
        let connection = client.get_connection_with_timeout(SOCKET_TIMEOUT)?;
        connection.set_read_timeout(Some(SOCKET_TIMEOUT))?;
        connection.set_write_timeout(Some(SOCKET_TIMEOUT))?;
        Ok(connection)
    };
    connect().map_err(fault)
}

fn name(address: &Digest) -> String {
    format!("stet:{address}")
}

impl Link for Redis {
    fn get(
        &mut self,
        addresses: &[Digest],
        limit: usize,
        progress: &Progress,
    ) -> Result<Vec<Option<Vec<u8>>>, LinkError> {
        let first = limit.min(PIECE);
        let mut found = self.with(|connection| {
            let mut pipe = redis::pipe();
            for address in addresses {
                pipe.cmd("GETRANGE").arg(name(address)).arg(0).arg(first);
            }
            progress.request();
            pipe.query::<Vec<Vec<u8>>>(connection)
        })?;
        for (address, bytes) in addresses.iter().zip(&mut found) {
            progress.receive(bytes.len());
            // A full first piece: there is more.
            while bytes.len() > first && bytes.len() <= limit && (bytes.len() - 1) % PIECE == 0 {
                let from = bytes.len();
                let piece: Vec<u8> = self.with(|connection| {
                    progress.request();
                    redis::cmd("GETRANGE")
                        .arg(name(address))
                        .arg(from)
                        .arg(from + PIECE - 1)
                        .query(connection)
                })?;
                progress.receive(piece.len());
                if piece.is_empty() {
                    break;
                }
                bytes.extend(piece);
            }
        }
        let present = |bytes: Vec<u8>| (!bytes.is_empty()).then_some(bytes);
        Ok(found.into_iter().map(present).collect())
    }

    fn put(&mut self, objects: &[(Digest, &[u8])], progress: &Progress) -> Result<(), LinkError> {
        self.with(|connection| {
            let mut pipe = redis::pipe();
            for (address, bytes) in objects {
                pipe.cmd("SET").arg(name(address)).arg(*bytes).ignore();
            }
            progress.request();
            pipe.query::<()>(connection)
        })?;
        objects
            .iter()
            .for_each(|(_, bytes)| progress.send(bytes.len()));
        Ok(())
    }
}

pub(crate) fn fault(error: RedisError) -> LinkError {
    match error.kind() {
        ErrorKind::Io => LinkError::Unreachable(error.to_string()),
        _ => LinkError::Refused(error.to_string()),
    }
}
