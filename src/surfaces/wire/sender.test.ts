import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { test } from "node:test";
import { LOOPBACK, parseBlock } from "../../platform/kernel/address.ts";
import { KEY_LIFE_MS, sendersOf } from "./sender.ts";

/** Senders on a clock that the test moves, with a new socket for each question. */
function known(...trusted: readonly string[]) {
  const at = { now_ms: 0, keys: 0, untrusted: 0 };
  const senders = sendersOf({
    trusted: trusted.length === 0 ? LOOPBACK : trusted.flatMap((text) => parseBlock(text) ?? []),
    now_ms: () => at.now_ms,
    random: (n) => new Uint8Array(n).fill(++at.keys),
    untrusted: () => at.untrusted++,
  });
  const from = (remoteAddress: string, forwardedFor?: string) =>
    senders.senderOf(socketAt(remoteAddress), forwardedFor);
  const network = (...asked: Parameters<typeof from>) => from(...asked)?.network ?? "unknown";
  return { at, senders, from, network };
}

const socketAt = (remoteAddress: string): Socket =>
  Object.assign(new EventEmitter(), { remoteAddress, destroyed: false }) as unknown as Socket;

const ONE = "6.6.6.6";

test("thirteen spellings of one address in X-Forwarded-For are one sender, or unknown", () => {
  const { network } = known();
  const one = network(ONE);
  const same = [
    "6.6.6.6",
    " 6.6.6.6 ",
    "6.6.6.6:1000",
    "6.6.6.6:1001",
    '"6.6.6.6"',
    '"6.6.6.6:80"',
    "::ffff:6.6.6.6",
    "::FFFF:606:606",
    "[::ffff:606:606]",
    "[::ffff:6.6.6.6]:443",
    "0:0:0:0:0:ffff:606:606%eth0",
  ];
  for (const spelling of same) assert.equal(network("127.0.0.1", spelling), one, spelling);
  for (const spelling of ["6.6.6.6:1:2", "06.6.6.6", "6.6.6", "[6.6.6.6]", "unknown", "", ","])
    assert.equal(network("127.0.0.1", spelling), "unknown", spelling);
  assert.notEqual(network("127.0.0.1", "6.6.6.7"), one);
});

test("the sender behind trusted proxies is the last address that is not one of them", () => {
  const { network } = known("127.0.0.0/8", "10.0.0.0/8", "2001:db8:ffff::/48");
  const one = network(ONE);
  assert.equal(network("::ffff:127.0.0.1", "1.1.1.1, 6.6.6.6"), one);
  assert.equal(network("10.1.2.3", "1.1.1.1,6.6.6.6,10.9.9.9, 2001:db8:ffff::7"), one);
  assert.equal(network("10.1.2.3", "6.6.6.6, not an address"), "unknown");
  assert.equal(network("10.1.2.3", "10.1.1.1"), "unknown");
  assert.equal(network("10.1.2.3"), "unknown");
  assert.equal(network(ONE, "1.1.1.1"), one, "a field that nobody vouches for is not read");
});

test("a private address is unknown, with the field and without, and the field is told of", () => {
  const { at, network, senders } = known();
  assert.equal(senders.addresses(), "unknown");
  for (const address of ["172.17.0.1", "10.0.0.1", "192.168.1.9", "100.64.0.1", "169.254.1.1"])
    assert.equal(network(address), "unknown", address);
  for (const address of ["fd00::1", "fe80::1%eth0", "::", "0.0.0.0", "", "::ffff:10.0.0.1"])
    assert.equal(network(address), "unknown", address);
  assert.equal(at.untrusted, 0);
  assert.equal(network("172.17.0.1", ONE), "unknown"); // The network of containers.
  assert.equal(at.untrusted, 1);
  assert.equal(senders.addresses(), "proxy_not_trusted");
  assert.equal(network("127.0.0.1", "172.17.0.1"), "unknown");
  assert.equal(known("172.16.0.0/12").network("172.17.0.1", ONE).length, 8);
});

test("of IPv6 the /64 is one network and the /48 above it one site", () => {
  const { from } = known();
  const one = from("2001:db8:1:2::1");
  const neighbour = from("2001:0DB8:0001:0002:ffff:ffff:ffff:ffff");
  const other = from("2001:db8:1:3::1");
  assert.ok(one !== null && other !== null);
  assert.deepEqual(neighbour, one);
  assert.notEqual(other.network, one.network);
  assert.equal(other.site, one.site);
  assert.notEqual(from("2001:db8:2:2::1")?.site, one.site);
  assert.equal(from(ONE)?.site, null);
});

test("an IPv4 address inside an IPv6 one counts as itself", () => {
  const { network } = known();
  const one = network(ONE);
  const carriers = [
    ["NAT64", "64:ff9b::6.6.6.6", "64:ff9b::6.6.6.7"],
    ["NAT64 by its groups", "64:FF9B:0::0606:606", "64:ff9b::606:607"],
    ["NAT64 of one network", "64:ff9b:1::6.6.6.6", "64:ff9b:1::6.6.6.7"],
    ["its /96", "64:ff9b:1:abcd:1234:5678:6.6.6.6", "64:ff9b:1:abcd:1234:5678:6.6.6.7"],
    ["its /64", "64:ff9b:1:abcd:6:606:600::", "64:ff9b:1:abcd:6:606:700::"],
    ["its /56", "64:ff9b:1:ab06:6:606::", "64:ff9b:1:ab06:6:607::"],
    ["its /48", "64:ff9b:1:606:6:600::", "64:ff9b:1:606:6:700::"],
    ["6to4", "2002:606:606::1", "2002:606:607::1"],
    ["another host of 6to4", "2002:606:606:1:2:3:4:5", "2002:606:607:1:2:3:4:5"],
    ["Teredo", "2001::4136:e378:8000:63bf:f9f9:f9f9", "2001::4136:e378:8000:63bf:f9f9:f9f8"],
    ["mapped", "::ffff:6.6.6.6", "::ffff:6.6.6.7"],
    ["translated", "::ffff:0:6.6.6.6", "::ffff:0:6.6.6.7"],
    ["compatible", "::6.6.6.6", "::6.6.6.7"],
  ] as const;
  for (const [name, same, other] of carriers) {
    assert.equal(network("127.0.0.1", same), one, name);
    assert.equal(network(same), one, name);
    assert.equal(network("127.0.0.1", other), network("6.6.6.7"), name);
  }
  for (const own of [
    "64:ff9b:2::6.6.6.6",
    "64:ff9c::6.6.6.6",
    "2003:606:606::1",
    "2001:1::f9f9:f9f9",
  ])
    assert.notEqual(network(own), one, own);
  for (const inside of ["10.0.0.1", "127.0.0.1", "0.0.0.0", "192.168.1.1", "169.254.169.254"])
    assert.equal(network(`64:ff9b::${inside}`), "unknown", inside);
  for (const address of [
    "::1",
    "::",
    "2002:a00:1::1",
    "2001::1:0:0:0:f5ff:fffe",
    "64:ff9b:1::a:0:100:0",
  ])
    assert.equal(network(address), "unknown", address);
});

test("a proxy that is trusted by its IPv4 address is not so inside an IPv6 one", () => {
  const { network } = known("127.0.0.0/8", "64:ff9b::/96");
  assert.notEqual(network("64:ff9b::7.7.7.7", ONE), network("7.7.7.7", ONE));
  assert.equal(network("64:ff9b::7.7.7.7", ONE), network(ONE));
  assert.equal(network("64:ff9b::127.0.0.1", ONE), network(ONE), "it lies in the block");
  assert.equal(known("127.0.0.0/8").network("64:ff9b::127.0.0.1", ONE), "unknown");
});

test("a name is 8 bytes, changes with the key after an hour, and is known for one more", () => {
  const { at, from, senders } = known();
  const first = from(ONE);
  assert.equal(first?.network.length, 8);
  assert.equal(first.earlier, null);
  at.now_ms += KEY_LIFE_MS - 1;
  assert.deepEqual(from(ONE), first);
  at.now_ms += 1;
  const second = from(ONE);
  assert.notEqual(second?.network, first.network);
  assert.equal(second?.earlier?.network, first.network);
  at.now_ms += 2 * KEY_LIFE_MS;
  assert.equal(from(ONE)?.earlier, null);
  assert.equal(senders.addresses(), "known");
});

test("an open connection gets a new name with the new key, and a proxy's one with each client", () => {
  const { at, senders } = known();
  const socket = socketAt("127.0.0.1");
  const of = (field: string) => senders.senderOf(socket, field)?.network;
  const one = of(ONE);
  assert.notEqual(of("6.6.6.7"), one);
  assert.equal(of(ONE), one);
  at.now_ms += KEY_LIFE_MS;
  assert.notEqual(of(ONE), one);
});

test("addresses are known for as long as the keys under which one was", () => {
  const { at, senders, from } = known();
  from("127.0.0.1");
  assert.equal(senders.addresses(), "unknown");
  from(ONE);
  assert.equal(senders.addresses(), "known");
  at.now_ms += KEY_LIFE_MS;
  assert.equal(senders.addresses(), "known");
  at.now_ms += KEY_LIFE_MS;
  assert.equal(senders.addresses(), "unknown");
});

test("a process that was given keys names senders as the one that gave them", () => {
  const [giver, taker] = [known(), known()];
  giver.senders.keys();
  taker.at.keys = 7; // Its own randomness goes on elsewhere.
  taker.at.now_ms += KEY_LIFE_MS;
  assert.notEqual(taker.network(ONE), giver.network(ONE));
  taker.senders.adopt(structuredClone(giver.senders.keys()));
  assert.equal(taker.network(ONE), giver.network(ONE));
  taker.at.now_ms += KEY_LIFE_MS; // It renews none itself.
  assert.equal(taker.network(ONE), giver.network(ONE));
});
