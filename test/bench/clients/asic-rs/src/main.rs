// Reads the miners at the given addresses with asic-rs, one after the other, and prints one line of JSON for each.
use std::{env, net::IpAddr, time::Duration};

use asic_rs::MinerFactory;
use serde_json::{Value, json};
use tokio::time::timeout;

const IDENTIFY: Duration = Duration::from_secs(20);
const READ: Duration = Duration::from_secs(40);

async fn read(factory: &MinerFactory, ip: IpAddr) -> Result<Option<Value>, String> {
    let found = timeout(IDENTIFY, factory.get_miner(ip)).await.map_err(|_| "not identified in time".to_string())?;
    let Some(miner) = found.map_err(|error| error.to_string())? else { return Ok(None) };
    let data = timeout(READ, miner.get_data()).await.map_err(|_| "not read in time".to_string())?;
    serde_json::to_value(data).map(Some).map_err(|error| error.to_string())
}

#[tokio::main]
async fn main() {
    for text in env::args().skip(1) {
        let ip: IpAddr = text.parse().expect("an address");
        // Each miner in a task: a panic of the library costs that miner only.
        let outcome = tokio::spawn(async move { read(&MinerFactory::new(), ip).await }).await;
        let line = match outcome {
            Ok(Ok(data)) => json!({ "ip": text, "data": data }),
            Ok(Err(error)) => json!({ "ip": text, "data": null, "error": error }),
            Err(error) => json!({ "ip": text, "data": null, "error": error.to_string() }),
        };
        println!("{line}");
    }
}
