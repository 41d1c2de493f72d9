//! Work shared by machines, in Redis Streams: a run is a description and a stream of jobs, each of which gives results
//! and further jobs.
//!
//! ```text
//! announce ──> next ──> (lease kept alive) ──> complete: results out, further jobs in, in one step
//!               ^               │  ^
//!               │               └──┘ hand_in: results so far out, a part of the job given away, the rest goes on here
//!               └── a job whose worker is gone is taken over after its lease, as its last hand_in left it
//! ```
//!
//! | key | what |
//! |---|---|
//! | `stet:runs` | the runs that want workers |
//! | `stet:news` | a stream with the last runs, for workers that wait for one |
//! | `stet:run:ID:about` | what workers must know; gone when the run is over |
//! | `stet:run:ID:work` | the jobs; consumer group `workers` |
//! | `stet:run:ID:now` | what is left of jobs of which something was handed in, and how often that was |
//! | `stet:run:ID:idle` | workers that wait for a job, by the time they said so |
//! | `stet:run:ID:done` | the results, signed (see `delivery`) |
//! | `stet:run:ID:open` | how many jobs are not complete |
//!
//! Handing in is one script that does nothing unless the job is as the worker took it. So whatever happens to workers,
//! everything counts once.
//!
//! **Invariant:** the server need not be trusted. The run keeps its own list of what is to be done: a result counts if a
//! trusted key signed it for this run and its job is on the list; it is complete when the list is empty, whatever the server says.

use crate::delivery::{self, Delivery};
use crate::envelope::Refusal;
use crate::keys::{Signer, Trust};
use crate::link::{LinkError, connect, fault};
use redis::streams::{StreamAutoClaimReply, StreamReadReply};
use redis::{Connection, RedisError};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use stet_key::Digest;

const RUNS: &str = "stet:runs";
const NEWS: &str = "stet:news";
const GROUP: &str = "workers";
/// Runs nobody ends are forgotten after this many seconds.
const LIFETIME: u64 = 86_400;
/// A worker that said so long ago that it waits may be gone, in milliseconds.
const IDLE: u64 = 1000;

/// What a run has on the server.
const KEYS: [&str; 6] = ["work", "done", "open", "about", "now", "idle"];

/// `KEYS` as above; `ARGV` group, job, how often it was handed in, what was found, what is left of it (empty for nothing), the
/// lifetime, further jobs.
const HAND_IN: &str = "
if redis.call('EXISTS', KEYS[4]) == 0 then return 0 end
if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[2], ARGV[2], 1) == 0 then return 0 end
local times = ARGV[2] .. ':times'
if (redis.call('HGET', KEYS[5], times) or '0') ~= ARGV[3] then return 0 end
local open = #ARGV - 6
if ARGV[5] == '' then
  redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
  redis.call('XDEL', KEYS[1], ARGV[2])
  redis.call('HDEL', KEYS[5], ARGV[2], times)
  open = open - 1
else
  redis.call('HSET', KEYS[5], ARGV[2], ARGV[5])
  redis.call('HINCRBY', KEYS[5], times, 1)
  redis.call('EXPIRE', KEYS[5], ARGV[6])
end
redis.call('XADD', KEYS[2], '*', 'r', ARGV[4])
redis.call('EXPIRE', KEYS[2], ARGV[6])
for i = 7, #ARGV do redis.call('XADD', KEYS[1], '*', 'j', ARGV[i]) end
redis.call('INCRBY', KEYS[3], open)
return 1";

/// `KEYS` as above; `ARGV` worker, lifetime: the worker waits.
const WAIT: &str = "
if redis.call('EXISTS', KEYS[4]) == 0 then return 0 end
local time = redis.call('TIME')
redis.call('ZADD', KEYS[6], time[1] * 1000 + math.floor(time[2] / 1000), ARGV[1])
redis.call('EXPIRE', KEYS[6], ARGV[2])
return 1";

/// `KEYS` as above; `ARGV` group, milliseconds: how many workers wait for jobs that do not exist yet.
const HUNGRY: &str = "
if redis.call('EXISTS', KEYS[4]) == 0 then return 0 end
local time = redis.call('TIME')
local since = time[1] * 1000 + math.floor(time[2] / 1000) - ARGV[2]
local idle = redis.call('ZCOUNT', KEYS[6], since, '+inf')
local taken = redis.call('XPENDING', KEYS[1], ARGV[1])[1]
return idle - (redis.call('XLEN', KEYS[1]) - taken)";

fn key(run: &str, what: &str) -> String {
    format!("stet:run:{run}:{what}")
}

/// A call of a script with the keys of a run.
fn script(text: &str, run: &str) -> redis::Cmd {
    let mut command = redis::cmd("EVAL");
    command.arg(text).arg(KEYS.len());
    for what in KEYS {
        command.arg(key(run, what));
    }
    command
}

/// The side that has work done.
pub struct Run {
    connection: Connection,
    id: String,
    /// The last result seen.
    seen: String,
    trust: Trust,
    /// Jobs of which nobody who is trusted handed everything in.
    open: BTreeSet<Vec<u8>>,
}

/// A result of a trusted worker.
#[derive(Clone, Debug)]
pub struct Found {
    pub bytes: Vec<u8>,
    /// The public key of the worker, in hexadecimal digits.
    pub signer: String,
}

/// What a run knows after looking.
#[derive(Debug)]
pub struct Look {
    pub results: Vec<Found>,
    /// Why results that came are not believed.
    pub refused: Vec<Refusal>,
    /// Jobs not complete.
    pub open: usize,
    /// Nobody works on what is open: results were refused, or the server lost them.
    pub is_stuck: bool,
    /// Workers that ever took a job.
    pub workers: u64,
}

impl Run {
    /// Announces a run with its first jobs, whose results are believed from these workers.
    pub fn announce(
        url: &str,
        about: &[u8],
        jobs: &[Vec<u8>],
        trust: Trust,
    ) -> Result<Run, LinkError> {
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
        pipe.cmd("XADD").arg(NEWS).arg("MAXLEN").arg(8);
        pipe.arg("*").arg("run").arg(&id);
        pipe.query::<redis::Value>(&mut connection).map_err(fault)?;
        Ok(Run {
            connection,
            id,
            seen: "0".to_owned(),
            trust,
            open: jobs.iter().cloned().collect(),
        })
    }

    /// Results since the last look, after at most `wait`.
    pub fn look(&mut self, wait: Duration) -> Result<Look, LinkError> {
        let connection = &mut self.connection;
        // Before the results are read: when nothing is open then, no result comes after them.
        let open: Option<i64> = redis::cmd("GET")
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
        let items: Vec<_> = reply
            .into_iter()
            .flat_map(|reply| reply.keys)
            .flat_map(|key| key.ids)
            .collect();
        let is_silent = items.is_empty();
        let (mut results, mut refused) = (Vec::new(), Vec::new());
        for item in items {
            let bytes: Vec<u8> = item.get("r").unwrap_or_default();
            self.seen = item.id;
            match delivery::open(&self.id, &bytes, &self.trust) {
                Ok((delivery, signer)) => results.extend(self.accept(delivery, &signer)),
                Err(refusal) => refused.push(refusal),
            }
        }
        let open = open.ok_or_else(|| LinkError::Refused("the run was removed".to_owned()))?;
        Ok(Look {
            results,
            refused,
            open: self.open.len(),
            is_stuck: open <= 0 && is_silent && !self.open.is_empty(),
            workers,
        })
    }

    /// Takes what came of a job that is open; nothing of one that is not, which was done before.
    fn accept(&mut self, delivery: Delivery, signer: &str) -> Vec<Found> {
        if !self.open.remove(&delivery.job) {
            return Vec::new();
        }
        self.open.extend(delivery.children);
        let found = |bytes| Found {
            bytes,
            signer: signer.to_owned(),
        };
        delivery.results.into_iter().map(found).collect()
    }
}

/// What is wrong with a result, and what can be done about it.
pub fn explain(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Untrusted(key) => format!(
            "a worker's result is signed by {key}, which is not trusted: \
             `stet cache keys trust NAME {key}` if that is one of your workers",
            key = Digest(*key)
        ),
        Refusal::Forged(key) => format!(
            "a worker's result has a forged signature of {}: somebody else writes to the server of the workers",
            Digest(*key)
        ),
        _ => "a worker's result is damaged or of another version of Stet".to_owned(),
    }
}

impl Drop for Run {
    /// Workers stop within a lease.
    fn drop(&mut self) {
        let mut pipe = redis::pipe();
        pipe.atomic();
        pipe.cmd("SREM").arg(RUNS).arg(&self.id);
        for what in KEYS {
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
    signer: Signer,
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
    /// How often something of it was handed in.
    times: u64,
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
    /// A worker that signs what it finds; `lease` is how long it may be silent before its job is given to another.
    pub fn connect(url: &str, lease: Duration, signer: Signer) -> Result<Worker, LinkError> {
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
            signer,
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

    /// Waits until a run is announced, but not for long.
    pub fn await_run(&mut self, limit: Duration) -> Result<(), LinkError> {
        let mut command = redis::cmd("XREAD");
        command.arg("BLOCK").arg(limit.as_millis().max(1) as u64);
        command.arg("STREAMS").arg(NEWS).arg("$");
        // which one it is, and whether it is over already, is found out by looking
        let told: Result<redis::Value, RedisError> = command.query(&mut self.connection);
        told.map(|_| ()).map_err(fault)
    }

    /// Whether a run still wants workers.
    pub fn is_wanted(&mut self, offer: &Offer) -> Result<bool, LinkError> {
        redis::cmd("EXISTS")
            .arg(key(&offer.run, "about"))
            .query(&mut self.connection)
            .map_err(fault)
    }

    /// How many workers wait for jobs that do not exist yet.
    pub fn hungry(&mut self, offer: &Offer) -> Result<usize, LinkError> {
        let count: i64 = script(HUNGRY, &offer.run)
            .arg(GROUP)
            .arg(IDLE)
            .query(&mut self.connection)
            .map_err(fault)?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// Says that this worker waits for a job.
    fn say_idle(&mut self, offer: &Offer) -> Result<(), LinkError> {
        let mut command = script(WAIT, &offer.run);
        command.arg(&self.name).arg(LIFETIME);
        command
            .query::<i64>(&mut self.connection)
            .map(|_| ())
            .map_err(fault)
    }

    fn say_busy(&mut self, offer: &Offer) -> Result<(), LinkError> {
        redis::cmd("ZREM")
            .arg(key(&offer.run, "idle"))
            .arg(&self.name)
            .query::<i64>(&mut self.connection)
            .map(|_| ())
            .map_err(fault)
    }

    /// The next job: a new one, else one whose worker is gone; `None` if there is none after `wait`.
    pub fn next(&mut self, offer: &Offer, wait: Duration) -> Result<Option<Job>, LinkError> {
        if let Some(job) = self.take_new(offer, None)? {
            return Ok(Some(job));
        }
        self.say_idle(offer)?;
        let job = match self.take_new(offer, Some(wait))? {
            Some(job) => Some(job),
            None => self.take_over(offer)?,
        };
        if job.is_some() {
            self.say_busy(offer)?;
        }
        Ok(job)
    }

    /// A job that nobody had before.
    fn take_new(
        &mut self,
        offer: &Offer,
        wait: Option<Duration>,
    ) -> Result<Option<Job>, LinkError> {
        let mut command = redis::cmd("XREADGROUP");
        command.arg("GROUP").arg(GROUP).arg(&self.name);
        command.arg("COUNT").arg(1);
        if let Some(wait) = wait {
            command.arg("BLOCK").arg(wait.as_millis().max(1) as u64);
        }
        command.arg("STREAMS").arg(key(&offer.run, "work")).arg(">");
        let reply: Option<StreamReadReply> = command.query(&mut self.connection).or_else(over)?;
        let mut items = reply
            .into_iter()
            .flat_map(|reply| reply.keys)
            .flat_map(|key| key.ids);
        let Some(item) = items.next() else {
            return Ok(None);
        };
        Ok(item
            .get("j")
            .map(|bytes| self.job(offer, item.id.clone(), bytes, 0, false)))
    }

    /// A job whose worker is gone, as that worker left it.
    fn take_over(&mut self, offer: &Offer) -> Result<Option<Job>, LinkError> {
        let claimed: Option<StreamAutoClaimReply> = redis::cmd("XAUTOCLAIM")
            .arg(key(&offer.run, "work"))
            .arg(GROUP)
            .arg(&self.name)
            .arg(self.lease.as_millis() as u64)
            .arg("0-0")
            .arg("COUNT")
            .arg(1)
            .query(&mut self.connection)
            .map(Some)
            .or_else(over)?;
        let Some(item) = claimed.and_then(|claimed| claimed.claimed.into_iter().next()) else {
            return Ok(None);
        };
        let (left, times): (Option<Vec<u8>>, Option<u64>) = redis::cmd("HMGET")
            .arg(key(&offer.run, "now"))
            .arg(&item.id)
            .arg(format!("{}:times", item.id))
            .query(&mut self.connection)
            .map_err(fault)?;
        let bytes = left.or_else(|| item.get("j"));
        let times = times.unwrap_or(0);
        Ok(bytes.map(|bytes| self.job(offer, item.id.clone(), bytes, times, true)))
    }

    fn job(
        &self,
        offer: &Offer,
        id: String,
        bytes: Vec<u8>,
        times: u64,
        is_taken_over: bool,
    ) -> Job {
        *self.heart.job() = Some((key(&offer.run, "work"), id.clone()));
        Job {
            run: offer.run.clone(),
            id,
            bytes,
            times,
            is_taken_over,
            heart: self.heart.clone(),
        }
    }

    /// Hands in results and further jobs; false if another worker was faster or the run is over.
    pub fn complete(
        &mut self,
        job: Job,
        results: Vec<Vec<u8>>,
        children: Vec<Vec<u8>>,
    ) -> Result<bool, LinkError> {
        self.deliver(&job, results, children, &[])
    }

    /// Hands in what was found so far and jobs for others; what is left of the job goes on here. False if the job is another's
    /// by now, or the run is over: then nothing was handed in, and the job is not to be gone on with.
    pub fn hand_in(
        &mut self,
        job: &mut Job,
        results: Vec<Vec<u8>>,
        children: Vec<Vec<u8>>,
        left: Vec<u8>,
    ) -> Result<bool, LinkError> {
        let is_taken = self.deliver(job, results, children, &left)?;
        if is_taken {
            job.bytes = left;
            job.times += 1;
        }
        Ok(is_taken)
    }

    fn deliver(
        &mut self,
        job: &Job,
        results: Vec<Vec<u8>>,
        children: Vec<Vec<u8>>,
        left: &[u8],
    ) -> Result<bool, LinkError> {
        let mut command = script(HAND_IN, &job.run);
        let mut delivery = Delivery {
            job: job.bytes.clone(),
            results,
            children,
        };
        let new = delivery.children.len();
        if !left.is_empty() {
            delivery.children.push(left.to_vec());
        }
        let bytes = delivery::close(&job.run, &delivery, &self.signer);
        command.arg(GROUP).arg(&job.id).arg(job.times);
        command.arg(bytes).arg(left).arg(LIFETIME);
        for child in delivery.children.iter().take(new) {
            command.arg(&child[..]);
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
