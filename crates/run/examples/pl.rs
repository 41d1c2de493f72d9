//! local driver
use stet_run::*;
struct H {
    start: std::time::Instant,
    m: MemoryHost,
}
impl Host for H {
    fn write_output(&mut self, t: &str) {
        print!("{t}");
    }
    fn write_error(&mut self, t: &str) {
        eprint!("{t}");
    }
    fn read_input(&mut self) -> Option<String> {
        let mut s = String::new();
        std::io::stdin().read_line(&mut s).ok()?;
        if s.is_empty() { None } else { Some(s) }
    }
    fn read_file(&mut self, p: &str) -> Result<Vec<u8>, HostError> {
        std::fs::read(p).map_err(|_| HostError::Missing)
    }
    fn open_output(&mut self, p: &str, a: bool) -> Result<u32, HostError> {
        self.m.open_output(p, a)
    }
    fn write_file(&mut self, f: u32, b: &[u8]) {
        self.m.write_file(f, b)
    }
    fn close_file(&mut self, _f: u32) {}
    fn file_exists(&mut self, p: &str) -> bool {
        std::path::Path::new(p).is_file()
    }
    fn directory_exists(&mut self, _p: &str) -> bool {
        false
    }
    fn delete_file(&mut self, p: &str) -> Result<(), HostError> {
        self.m.delete_file(p)
    }
    fn wall_time(&mut self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
    fn cpu_time(&mut self) -> f64 {
        std::fs::read_to_string("/proc/thread-self/schedstat")
            .unwrap()
            .split_whitespace()
            .next()
            .unwrap()
            .parse::<u64>()
            .unwrap() as f64
            / 1e9
    }
    fn variable(&mut self, _n: &str) -> Option<String> {
        None
    }
    fn directory(&mut self) -> String {
        "/".into()
    }
}
fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let t = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(move || {
            let mut c = Config::standard();
            let mut files = vec![];
            let mut goals = vec![];
            let mut i = 0;
            while i < a.len() {
                match a[i].as_str() {
                    "-g" => {
                        goals.push(a[i + 1].clone());
                        i += 1
                    }
                    "--stress" => {
                        c.gc_stress = a[i + 1].parse().unwrap();
                        i += 1
                    }
                    "--memory" => {
                        c.memory = a[i + 1].parse().unwrap();
                        i += 1
                    }
                    f => files.push(f.to_string()),
                }
                i += 1
            }
            let mut m = Machine::new(
                c,
                Box::new(H {
                    start: std::time::Instant::now(),
                    m: MemoryHost::default(),
                }),
            );
            for f in files {
                let q = m.quote(&f);
                println!("{}", show(m.run_goal(&format!("consult({q})"))));
            }
            for g in goals {
                println!("{}", show(m.run_goal(&g)));
            }
            if std::env::var("STATS").is_ok() {
                eprintln!("{:?}", m.stats());
            }
        })
        .unwrap();
    t.join().unwrap();
}
fn show(a: Answer) -> String {
    match a {
        Answer::True(s) => {
            if s.goals.is_empty() {
                "true".into()
            } else {
                s.goals.join(", ")
            }
        }
        Answer::False => "false".into(),
        Answer::Exception { message, .. } => format!("EXC {message}"),
        Answer::Halt(c) => format!("halt {c}"),
    }
}
