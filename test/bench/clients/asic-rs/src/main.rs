// Reads the miners at the given addresses with asic-rs, one after the other, and prints one line of JSON for each.
// `<address>=<user>:<password>` reads with a login that is not from the factory.
use std::{env, net::IpAddr, time::Duration};

use asic_rs::{MinerFactory, core::traits::auth::MinerAuth};
use serde_json::{Value, json};
use tokio::time::timeout;

const IDENTIFY: Duration = Duration::from_secs(20);
const READ: Duration = Duration::from_secs(40);

async fn read(factory: &MinerFactory, ip: IpAddr, login: Option<MinerAuth>) -> Result<Option<Value>, String> {
    let found = timeout(IDENTIFY, factory.get_miner(ip)).await.map_err(|_| "not identified in time".to_string())?;
    let Some(mut miner) = found.map_err(|error| error.to_string())? else { return Ok(None) };
    if let Some(login) = login { miner.set_auth(login) }
    let data = timeout(READ, miner.get_data()).await.map_err(|_| "not read in time".to_string())?;
    serde_json::to_value(data).map(Some).map_err(|error| error.to_string())
}

#[tokio::main]
async fn main() {
    for text in env::args().skip(1) {
        let (text, login) = match text.split_once('=') {
            Some((address, login)) => {
                let (user, password) = login.split_once(':').expect("a user and a password");
                (address.to_string(), Some(MinerAuth::new(user, password)))
            }
            None => (text, None),
        };
        let ip: IpAddr = text.parse().expect("an address");
        // Each miner in a task: a panic of the library costs that miner only.
        let outcome = tokio::spawn(async move { read(&MinerFactory::new(), ip, login).await }).await;
        let line = match outcome {
            Ok(Ok(data)) => json!({ "ip": text, "data": data }),
            Ok(Err(error)) => json!({ "ip": text, "data": null, "error": error }),
            Err(error) => json!({ "ip": text, "data": null, "error": error.to_string() }),
        };
        println!("{line}");
    }
}
