//! Work shared by machines, in Redis Streams: a run is a description and a stream of jobs, each of which gives results
//! and further jobs.
//!
//! ```text
//! announce ──> next ──> (lease kept alive) ──> complete: results out, children in, in one step
//!               ^                                  │
//!               └── a job whose worker is gone is taken over after its lease
//! ```
//!
//! | key | what |
//! |---|---|
//! | `stet:runs` | the runs that want workers |
//! | `stet:run:ID:about` | what workers must know; gone when the run is over |
//! | `stet:run:ID:work` | the jobs; consumer group `workers` |
//! | `stet:run:ID:done` | the results |
//! | `stet:run:ID:open` | how many jobs are not complete |
//!
//! Completing is one script that does nothing unless the job was still to be acknowledged. So whatever happens to
//! workers, each job counts once.

use crate::link::{LinkError, connect, fault};
use redis::streams::{StreamAutoClaimReply, StreamReadReply};
use redis::{Connection, RedisError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

const RUNS: &str = "stet:runs";
const GROUP: &str = "workers";
/// Runs nobody ends are forgotten after this many seconds.
const LIFETIME: u64 = 86_400;

/// `KEYS` work, done, open, about; `ARGV` group, job, number of results, results and children.
const COMPLETE: &str = "
if redis.call('EXISTS', KEYS[4]) == 0 then return 0 end
if redis.call('XACK', KEYS[1], ARGV[1], ARGV[2]) == 0 then return 0 end
redis.call('XDEL', KEYS[1], ARGV[2])
local results = tonumber(ARGV[3])
for i = 4, 3 + results do redis.call('XADD', KEYS[2], '*', 'r', ARGV[i]) end
for i = 4 + results, #ARGV do redis.call('XADD', KEYS[1], '*', 'j', ARGV[i]) end
redis.call('INCRBY', KEYS[3], #ARGV - 3 - results - 1)
return 1";

fn key(run: &str, what: &str) -> String {
    format!("stet:run:{run}:{what}")
}

/// The side that has work done.
pub struct Run {
    connection: Connection,
    id: String,
    /// The last result seen.
    seen: String,
}

/// What a run knows after looking.
#[derive(Debug)]
pub struct Look {
    pub results: Vec<Vec<u8>>,
    /// Jobs not complete.
    pub open: u64,
    /// Workers that ever took a job.
    pub workers: u64,
}

impl Run {
    /// Announces a run with its first jobs.
    pub fn announce(url: &str, about: &[u8], jobs: &[Vec<u8>]) -> Result<Run, LinkError> {
        let mut connection = connect(url)?;
        let mut number = [0; 12];
        getrandom::fill(&mut number).map_err(|error| LinkError::Refused(error.to_string()))?;
        let id: String = number.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut pipe = redis::pipe();
        pipe.atomic();
        let work = key(&id, "work");
        pipe.cmd("SET")
            .arg(key(&id, "about"))
            .arg(about)
            .arg("EX")
            .arg(LIFETIME);
        pipe.cmd("SET")
            .arg(key(&id, "open"))
            .arg(jobs.len())
            .arg("EX")
            .arg(LIFETIME);
        pipe.cmd("XGROUP")
            .arg("CREATE")
            .arg(&work)
            .arg(GROUP)
            .arg(0)
            .arg("MKSTREAM");
        for job in jobs {
            pipe.cmd("XADD").arg(&work).arg("*").arg("j").arg(&job[..]);
        }
        pipe.cmd("EXPIRE").arg(&work).arg(LIFETIME);
        pipe.cmd("SADD").arg(RUNS).arg(&id);
        pipe.query::<redis::Value>(&mut connection).map_err(fault)?;
        Ok(Run {
            connection,
            id,
            seen: "0".to_owned(),
        })
    }

    /// Results since the last look, after at most `wait`.
    pub fn look(&mut self, wait: Duration) -> Result<Look, LinkError> {
        let connection = &mut self.connection;
        // Before the results are read: when nothing is open then, no result comes after them.
        let open: Option<u64> = redis::cmd("GET")
            .arg(key(&self.id, "open"))
            .query(connection)
            .map_err(fault)?;
        let reply: Option<StreamReadReply> = redis::cmd("XREAD")
            .arg("COUNT")
            .arg(256)
            .arg("BLOCK")
            .arg(wait.as_millis().max(1) as u64)
            .arg("STREAMS")
            .arg(key(&self.id, "done"))
            .arg(&self.seen)
            .query(connection)
            .map_err(fault)?;
        let mut results = Vec::new();
        for item in reply
            .into_iter()
            .flat_map(|reply| reply.keys)
            .flat_map(|key| key.ids)
        {
            results.extend(item.get::<Vec<u8>>("r"));
            self.seen = item.id;
        }
        let workers: redis::Value = redis::cmd("XINFO")
            .arg("CONSUMERS")
            .arg(key(&self.id, "work"))
            .arg(GROUP)
            .query(connection)
            .map_err(fault)?;
        let workers = match workers {
            redis::Value::Array(workers) => workers.len() as u64,
            _ => 0,
        };
        let open = open.ok_or_else(|| LinkError::Refused("the run was removed".to_owned()))?;
        Ok(Look {
            results,
            open,
            workers,
        })
    }
}

impl Drop for Run {
    /// Workers stop within a lease.
    fn drop(&mut self) {
        let mut pipe = redis::pipe();
        pipe.atomic();
        pipe.cmd("SREM").arg(RUNS).arg(&self.id);
        for what in ["about", "work", "done", "open"] {
            pipe.cmd("DEL").arg(key(&self.id, what));
        }
        let _ = pipe.query::<redis::Value>(&mut self.connection);
    }
}

/// The side that does the work.
pub struct Worker {
    connection: Connection,
    name: String,
    lease: Duration,
    heart: Arc<Heart>,
}

/// The job whose lease is renewed, as its stream and its id.
#[derive(Default)]
struct Heart(Mutex<Option<(String, String)>>);

impl Heart {
    fn job(&self) -> MutexGuard<'_, Option<(String, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A run to work for.
#[derive(Clone, Debug)]
pub struct Offer {
    run: String,
    /// What the run announced.
    pub about: Arc<[u8]>,
}

/// A job, kept alive until it is complete or dropped.
pub struct Job {
    run: String,
    id: String,
    /// What is to be done.
    pub bytes: Vec<u8>,
    /// Whether this job was another worker's.
    pub is_taken_over: bool,
    heart: Arc<Heart>,
}

impl Drop for Job {
    fn drop(&mut self) {
        *self.heart.job() = None;
    }
}

impl Worker {
    /// A worker; `lease` is how long it may be silent before its job is given to another.
    pub fn connect(url: &str, lease: Duration) -> Result<Worker, LinkError> {
        let mut number = [0; 8];
        getrandom::fill(&mut number).map_err(|error| LinkError::Refused(error.to_string()))?;
        let name: String = number.iter().map(|byte| format!("{byte:02x}")).collect();
        let connection = connect(url)?;
        let heart = Arc::new(Heart::default());
        beat(&heart, url.to_owned(), name.clone(), lease / 4);
        Ok(Worker {
            connection,
            name,
            lease,
            heart,
        })
    }

    /// A run that wants workers, if there is one.
    pub fn offer(&mut self) -> Result<Option<Offer>, LinkError> {
        let runs: Vec<String> = redis::cmd("SMEMBERS")
            .arg(RUNS)
            .query(&mut self.connection)
            .map_err(fault)?;
        for run in runs {
            let about: Option<Vec<u8>> = redis::cmd("GET")
                .arg(key(&run, "about"))
                .query(&mut self.connection)
                .map_err(fault)?;
            match about {
                Some(about) => {
                    let about = about.into();
                    return Ok(Some(Offer { run, about }));
                }
                // Its owner was killed and its time is over.
                None => redis::cmd("SREM")
                    .arg(RUNS)
                    .arg(&run)
                    .query::<()>(&mut self.connection)
                    .map_err(fault)?,
            }
        }
        Ok(None)
    }

    /// Whether a run still wants workers.
    pub fn is_wanted(&mut self, offer: &Offer) -> Result<bool, LinkError> {
        redis::cmd("EXISTS")
            .arg(key(&offer.run, "about"))
            .query(&mut self.connection)
            .map_err(fault)
    }

    /// Whether jobs wait for a worker: then there is no need for smaller ones.
    pub fn is_work_waiting(&mut self, offer: &Offer) -> Result<bool, LinkError> {
        let work = key(&offer.run, "work");
        let (length, pending): (u64, redis::Value) = redis::pipe()
            .cmd("XLEN")
            .arg(&work)
            .cmd("XPENDING")
            .arg(&work)
            .arg(GROUP)
            .query(&mut self.connection)
            .map_err(fault)?;
        let taken = match pending {
            redis::Value::Array(parts) => match parts.first() {
                Some(redis::Value::Int(count)) => (*count).max(0) as u64,
                _ => 0,
            },
            _ => 0,
        };
        Ok(length > taken)
    }

    /// The next job: a new one, else one whose worker is gone; `None` if there is none after `wait`.
    pub fn next(&mut self, offer: &Offer, wait: Duration) -> Result<Option<Job>, LinkError> {
        let work = key(&offer.run, "work");
        let reply: Option<StreamReadReply> = redis::cmd("XREADGROUP")
            .arg("GROUP")
            .arg(GROUP)
            .arg(&self.name)
            .arg("COUNT")
            .arg(1)
            .arg("BLOCK")
            .arg(wait.as_millis().max(1) as u64)
            .arg("STREAMS")
            .arg(&work)
            .arg(">")
            .query(&mut self.connection)
            .or_else(over)?;
        let mut items = reply
            .into_iter()
            .flat_map(|reply| reply.keys)
            .flat_map(|key| key.ids);
        if let Some(item) = items.next() {
            return Ok(self.job(offer, item.id.clone(), item.get("j"), false));
        }
        let claimed: Option<StreamAutoClaimReply> = redis::cmd("XAUTOCLAIM")
            .arg(&work)
            .arg(GROUP)
            .arg(&self.name)
            .arg(self.lease.as_millis() as u64)
            .arg("0-0")
            .arg("COUNT")
            .arg(1)
            .query(&mut self.connection)
            .map(Some)
            .or_else(over)?;
        let item = claimed.and_then(|claimed| claimed.claimed.into_iter().next());
        Ok(item.and_then(|item| self.job(offer, item.id.clone(), item.get("j"), true)))
    }

    fn job(
        &self,
        offer: &Offer,
        id: String,
        bytes: Option<Vec<u8>>,
        is_taken_over: bool,
    ) -> Option<Job> {
        let bytes = bytes?;
        *self.heart.job() = Some((key(&offer.run, "work"), id.clone()));
        Some(Job {
            run: offer.run.clone(),
            id,
            bytes,
            is_taken_over,
            heart: self.heart.clone(),
        })
    }

    /// Hands in results and further jobs; false if another worker was faster or the run is over.
    pub fn complete(
        &mut self,
        job: Job,
        results: &[Vec<u8>],
        children: &[Vec<u8>],
    ) -> Result<bool, LinkError> {
        let mut command = redis::cmd("EVAL");
        command.arg(COMPLETE).arg(4);
        for what in ["work", "done", "open", "about"] {
            command.arg(key(&job.run, what));
        }
        command.arg(GROUP).arg(&job.id).arg(results.len());
        for bytes in results.iter().chain(children) {
            command.arg(&bytes[..]);
        }
        let done: u64 = command.query(&mut self.connection).map_err(fault)?;
        Ok(done == 1)
    }
}

/// The stream is gone: its run ended while this worker was waiting, which is no fault of the server.
fn over<T>(error: RedisError) -> Result<Option<T>, LinkError> {
    match error.code() {
        Some("UNBLOCKED" | "NOGROUP") => Ok(None),
        _ => Err(fault(error)),
    }
}

/// Renews the lease of the worker's job from a thread and a connection of its own until the worker is gone.
fn beat(heart: &Arc<Heart>, url: String, name: String, pause: Duration) {
    let heart: Weak<Heart> = Arc::downgrade(heart);
    std::thread::spawn(move || {
        let mut connection: Option<Connection> = None;
        loop {
            std::thread::sleep(pause);
            let Some(heart) = heart.upgrade() else {
                return;
            };
            let Some((work, id)) = heart.job().clone() else {
                continue;
            };
            if connection.is_none() {
                connection = connect(&url).ok();
            }
            let claimed = connection.as_mut().map(|connection| {
                redis::cmd("XCLAIM")
                    .arg(&work)
                    .arg(GROUP)
                    .arg(&name)
                    .arg(0)
                    .arg(&id)
                    .arg("JUSTID")
                    .query::<redis::Value>(connection)
            });
            if matches!(claimed, Some(Err(_))) {
                connection = None;
            }
        }
    });
}
