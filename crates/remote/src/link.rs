//! Moving bytes to and from a server: one [`Link`] per kind of server, one shape for all.
//!
//! Objects are named by 32-byte addresses. A link blocks; the threads of the tier own one each and give up by the
//! time-outs set here. A [`Url`] says which server; credentials never show in messages.
//!
//! Why not one library for all of them (OpenDAL): the look-ups of a program go to Redis as one `MGET`, which it does not have, it cannot write to
//! plain HTTP servers, and jobs of workers need Redis streams anyway; and it would bring an asynchronous run time into a program
//! whose waiting is bounded by threads of its own.

mod directory;
mod http;
mod redis_link;
mod s3;

pub(crate) use redis_link::{connect, fault};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use stet_key::Digest;

/// How long one connection or one answer may take before a thread gives it up. (Runs wait much shorter.)
pub(crate) const SOCKET_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection to a server.
pub(crate) trait Link: Send {
    /// The objects at these addresses, in their order; `None` for those that are not there. What is longer than
    /// `limit` may be cut off after `limit + 1` bytes.
    fn get(
        &mut self,
        addresses: &[Digest],
        limit: usize,
        progress: &Progress,
    ) -> Result<Vec<Option<Vec<u8>>>, LinkError>;

    /// Puts objects, replacing what is there.
    fn put(&mut self, objects: &[(Digest, &[u8])], progress: &Progress) -> Result<(), LinkError>;
}

/// Bytes that came or went: how a waiting run sees that something happens.
#[derive(Default, Debug)]
pub(crate) struct Progress {
    pub(crate) received: AtomicU64,
    pub(crate) sent: AtomicU64,
    pub(crate) requests: AtomicU64,
    pub(crate) work: AtomicU64,
}

impl Progress {
    pub(crate) fn request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn receive(&self, bytes: usize) {
        self.received.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn send(&self, bytes: usize) {
        self.sent.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

/// What went wrong with a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LinkError {
    /// The server cannot be reached, or went away: the network's fault.
    Unreachable(String),
    /// The server answered that it cannot or will not: full, forbidden, broken.
    Refused(String),
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkError::Unreachable(why) | LinkError::Refused(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for LinkError {}

/// A server, by its address.
#[derive(Clone)]
pub struct Url {
    server: Server,
    shown: String,
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

#[derive(Clone)]
enum Server {
    Directory(std::path::PathBuf),
    Redis(String),
    Http(http::Place),
    S3(s3::Bucket),
}

impl Url {
    /// Whether a text is meant as the address of a server rather than a path.
    pub fn is_meant(text: &str) -> bool {
        text.split_once("://").is_some_and(|(scheme, _)| {
            // One letter is a drive.
            scheme.len() > 1
                && scheme
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || c == '+')
        })
    }

    /// Reads `redis://`, `rediss://`, `s3://`, `http://`, `https://` and `file://`; `variable` gives environment variables, for
    /// credentials.
    pub fn parse(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Url, String> {
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err(format!("`{text}` is not a URL"));
        };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let host = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        let mut shown = format!("{scheme}://{host}/{path}");
        let server = match scheme {
            "file" if host.is_empty() => Server::Directory(format!("/{path}").into()),
            "file" => {
                return Err("`file://` needs an absolute path: `file:///directory`".to_owned());
            }
            "rediss" if text.contains('#') => {
                return Err(format!(
                    "`{shown}`: `#insecure` is not supported; name the certificate of the server's authority in `SSL_CERT_FILE`"
                ));
            }
            "redis" | "rediss" => {
                // The crate's own reader, so that a mistake is told now.
                redis::Client::open(text).map_err(|error| format!("`{shown}`: {error}"))?;
                Server::Redis(text.to_owned())
            }
            "http" | "https" => Server::Http(http::Place::parse(text, variable)?),
            "s3" => {
                let bucket = s3::Bucket::parse(rest, variable)?;
                shown = format!("s3://{}", bucket.shown());
                Server::S3(bucket)
            }
            other => {
                return Err(format!(
                    "`{other}://` is not known; there are redis, rediss, s3, http, https and file"
                ));
            }
        };
        Ok(Url { server, shown })
    }

    /// A new connection, made when it is first used.
    pub(crate) fn link(&self) -> Box<dyn Link> {
        match &self.server {
            Server::Directory(path) => Box::new(directory::Directory::new(path.clone())),
            Server::Redis(url) => Box::new(redis_link::Redis::new(url.clone())),
            Server::Http(place) => Box::new(http::Http::new(place.clone())),
            Server::S3(bucket) => Box::new(s3::S3::new(bucket.clone())),
        }
    }

    /// How many objects go into one call.
    pub(crate) fn batch(&self) -> usize {
        match &self.server {
            Server::Directory(_) | Server::Redis(_) => 64,
            Server::Http(_) | Server::S3(_) => 1,
        }
    }

    /// How many connections are worth having: servers that take one object at a time get more.
    pub(crate) fn connections(&self) -> usize {
        match &self.server {
            Server::Directory(_) | Server::Redis(_) => 2,
            Server::Http(_) | Server::S3(_) => 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_told_from_paths_and_show_no_password() {
        assert!(!Url::is_meant("target/stet.db") && !Url::is_meant("C://x y://"));
        assert!(Url::is_meant("redis://h") && Url::is_meant("nonsense://h"));
        let none = |_: &str| None;
        let shown = |text: &str| Url::parse(text, &none).map(|url| url.to_string());
        assert_eq!(
            shown("redis://user:secret@host:6379/1").unwrap(),
            "redis://host:6379/1"
        );
        assert_eq!(shown("rediss://:secret@host").unwrap(), "rediss://host/");
        assert_eq!(shown("https://u:p@host/base").unwrap(), "https://host/base");
        assert_eq!(shown("file:///tmp/x").unwrap(), "file:///tmp/x");
        for wrong in [
            "file://x/y",
            "rediss://h/#insecure",
            "ftp://h",
            "s3://",
            "s3://bucket",
            "http://",
        ] {
            assert!(shown(wrong).is_err(), "{wrong}");
        }
    }
}
