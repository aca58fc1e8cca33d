"""Reads the miners at the given addresses with pyasic, one after the other, and prints one line of JSON for each. Rates are in H/s."""

import asyncio
import json
import logging
import sys
import warnings

from pyasic.miners.factory import MinerFactory

IDENTIFY_S = 20
READ_S = 40


# What is not compared; and where its parser does not know the answer, the whole miner would go unread.
NOT_ASKED = ["config", "wattage_limit"]


class PageFirst(MinerFactory):
    """pyasic takes the page's or the socket's answer, whichever comes first, and a VNish is a stock Antminer to it every second time."""

    async def _get_miner_type(self, ip):
        return await self._get_miner_web(ip) or await self._get_miner_socket(ip)


def rate(value):
    """The unit of a rate counts the hashes per second that it stands for."""
    return None if value is None else float(value.rate) * int(value.unit)


def text(value):
    return None if value is None else str(value)


def board(each):
    return {
        "slot": each.slot,
        "rate": rate(each.hashrate),
        "chips": each.chips,
        "temp": each.temp,
        "chipTemp": each.chip_temp,
        "serial": each.serial_number,
        "missing": each.missing,
    }


def facts(data):
    return {
        "make": text(data.make),
        "model": text(data.model),
        "firmware": text(data.fw_ver),
        "mac": text(data.mac),
        "serial": text(data.serial_number),
        "hostname": text(data.hostname),
        "rate": rate(data.hashrate),
        "expectedRate": rate(data.expected_hashrate),
        "boards": [board(each) for each in data.hashboards],
        "fans": [each.speed for each in data.fans],
        "power": data.wattage,
        "pools": [{"url": text(each.url), "user": each.user} for each in data.pools],
        "uptime": data.uptime,
        "isMining": data.is_mining,
        "errors": [text(getattr(each, "error_code", None)) or each.error_message for each in data.errors],
        "light": data.fault_light,
    }


async def read(ip):
    try:
        miner = await asyncio.wait_for(PageFirst().get_miner(ip), IDENTIFY_S)
        if miner is None:
            return {"ip": ip, "data": None}
        data = await asyncio.wait_for(miner.get_data(exclude=NOT_ASKED), READ_S)
        return {"ip": ip, "data": facts(data)}
    except Exception as error:  # A failure of the library costs that miner only.
        return {"ip": ip, "data": None, "error": f"{type(error).__name__}: {error}"}


async def main():
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    for ip in sys.argv[1:]:
        print(json.dumps(await read(ip), default=str), flush=True)


asyncio.run(main())
