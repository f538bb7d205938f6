// The informer of the bench in kube-rs: a watcher with its reflector's store over the pods of the bench's server, then the steady watch. It has no
// secondary indexes. Prints one line of JSON.
//
//     kube-informer --server http://127.0.0.1:18080 [--strip] [--events 100000]
//
// --strip drops managedFields before an object is stored, as users who care for memory do.
use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::{
    runtime::{reflector, watcher, watcher::Event, WatchStreamExt},
    Api, Client, Config, ResourceExt,
};
use serde_json::json;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

fn arg(name: &str, default: &str) -> String {
    let all: Vec<String> = std::env::args().collect();
    all.iter().position(|each| each == name).and_then(|at| all.get(at + 1).cloned()).unwrap_or_else(|| default.to_string())
}

/// Megabytes, by the name of the line in /proc/self/status.
fn status(key: &str) -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|line| line.starts_with(key)).unwrap();
    let kb: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    (kb / 1024.0 * 10.0).round() / 10.0
}

fn cpu_ms() -> f64 {
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) as f64 * 1e3 + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) as f64 / 1e3
}

/// Lets the server send its events, a little after the watch has been opened.
async fn go(host: String) {
    tokio::time::sleep(Duration::from_millis(500)).await;
    let mut socket = tokio::net::TcpStream::connect(&host).await.unwrap();
    socket.write_all(format!("GET /go HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes()).await.unwrap();
    let _ = socket.read_to_end(&mut vec![]).await;
}

#[tokio::main]
async fn main() {
    let server = arg("--server", "");
    let events: u64 = arg("--events", "0").parse().unwrap();
    let strip = std::env::args().any(|each| each == "--strip");
    let api: Api<Pod> = Api::all(Client::try_from(Config::new(server.parse().unwrap())).unwrap());
    let (base, cpu, begun) = (status("VmRSS"), cpu_ms(), Instant::now());
    let writer = reflector::store::Writer::<Pod>::new(());
    let store = writer.as_reader();
    let stream = watcher(api, watcher::Config::default())
        .default_backoff()
        .modify(move |pod: &mut Pod| {
            if strip {
                pod.managed_fields_mut().clear();
            }
        })
        .reflect(writer);
    futures::pin_mut!(stream);
    loop {
        match stream.next().await {
            Some(Ok(Event::InitDone)) => break,
            Some(Ok(_)) => {}
            Some(Err(error)) => eprintln!("kube-rs: {error}"),
            None => panic!("the stream has ended"),
        }
    }
    let sync_ms = begun.elapsed().as_secs_f64() * 1e3;
    let cpu_sync = cpu_ms() - cpu;
    let peak = status("VmHWM");
    // Gives back what the allocator holds in reserve: what counts is what the objects take.
    unsafe { libc::malloc_trim(0) };
    let objects = store.len();
    let mut out = json!({
        "objects": objects,
        "syncMs": sync_ms.round(),
        "cpuSyncMs": cpu_sync.round(),
        "peakSyncRssMB": peak,
        "rssKBperPod": ((status("VmRSS") - base) * 1024.0 / objects.max(1) as f64 * 100.0).round() / 100.0,
    });
    if events > 0 {
        tokio::spawn(go(server.trim_start_matches("http://").to_string()));
        let (mut seen, mut first, mut last) = (0u64, None, Instant::now());
        while seen < events {
            match tokio::time::timeout(Duration::from_secs(60), stream.next()).await {
                Ok(Some(Ok(Event::Apply(_)))) => {
                    seen += 1;
                    last = Instant::now();
                    first.get_or_insert(last);
                }
                Ok(Some(Ok(_))) => {}
                Ok(Some(Err(error))) => eprintln!("kube-rs: {error}"),
                Ok(None) => panic!("the stream has ended"),
                Err(_) => panic!("{} events did not come", events - seen),
            }
        }
        let seconds = (last - first.unwrap()).as_secs_f64();
        out["eventsPerSec"] = json!(((seen - 1) as f64 / seconds).round());
        out["peakRssMB"] = json!(status("VmHWM"));
    }
    println!("{out}");
    std::process::exit(0);
}
