import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress } from "../../platform/kernel/address.ts";
import { readConfiguration, shownSettings } from "./settings.ts";

test("the defaults follow the protection, and that follows the base URL", () => {
  const limits = (environment: Record<string, string>) => {
    const read = readConfiguration(environment);
    return [read.protection, read.rateLimitPerMinute, read.registrationsPerHour];
  };
  const [OPEN, PUBLIC] = [
    ["open", 0, 0],
    ["public", 600, 20],
  ];
  for (const CAIRN_BASE_URL of [
    "http://localhost:8080",
    "http://cairn.localhost",
    "http://127.9.9.9",
    "http://[::1]:8080",
  ])
    assert.deepEqual(limits({ CAIRN_BASE_URL }), OPEN, CAIRN_BASE_URL);
  for (const CAIRN_BASE_URL of [
    "https://cairn.example",
    "http://10.0.0.1",
    "http://[::2]",
    "http://notlocalhost",
  ])
    assert.deepEqual(limits({ CAIRN_BASE_URL }), PUBLIC, CAIRN_BASE_URL);
  assert.deepEqual(limits({}), OPEN);
  assert.deepEqual(limits({ CAIRN_HOST: "::" }), PUBLIC);
  const stranger = { CAIRN_BASE_URL: "https://cairn.example" };
  assert.deepEqual(limits({ ...stranger, CAIRN_PROTECTION: "open" }), OPEN);
  assert.deepEqual(limits({ CAIRN_PROTECTION: "public" }), PUBLIC);
  assert.deepEqual(limits({ ...stranger, CAIRN_RATE_LIMIT_PER_MINUTE: "0" }), ["public", 0, 20]);
  assert.throws(() => limits({ CAIRN_PROTECTION: "closed" }), /allowed is open or public/);
});

test("an operator is shown the default that holds", () => {
  const shown = (environment: Record<string, string>) => {
    const settings = shownSettings(environment, {}, readConfiguration(environment));
    const named = new Map(settings.map((one) => [one.variable, one]));
    return ["CAIRN_PROTECTION", "CAIRN_RATE_LIMIT_PER_MINUTE"].map((name) => {
      const { value, isSet } = named.get(name) ?? assert.fail(name);
      return [value, isSet];
    });
  };
  assert.deepEqual(shown({}), [
    ["open", false],
    ["0", false],
  ]);
  assert.deepEqual(shown({ CAIRN_PROTECTION: "public", CAIRN_RATE_LIMIT_PER_MINUTE: "" }), [
    ["public", true],
    ["600", false],
  ]);
});

test("trusted proxies are addresses and blocks, 16 at most", () => {
  const trusted = (text: string) =>
    readConfiguration({ CAIRN_TRUSTED_PROXIES: text }).trustedProxies;
  assert.deepEqual(trusted("10.0.0.0/8, 2001:db8::/32,192.0.2.1"), [
    { address: parseAddress("10.0.0.0"), bits: 104 },
    { address: parseAddress("2001:db8::"), bits: 32 },
    { address: parseAddress("192.0.2.1"), bits: 128 },
  ]);
  assert.equal(trusted("loopback").length, 2);
  const wrong = ["10.0.0.0/33", "10.0.0/8", "::/129", "a", "10.0.0.1:80", "10.0.0.1/"];
  for (const text of [...wrong, Array(17).fill("10.0.0.1").join()])
    assert.throws(() => trusted(text), /CAIRN_TRUSTED_PROXIES is .*; allowed is/, text);
});

test("the contact for security is a mailto: or https: URI", () => {
  const contact = (text: string) =>
    readConfiguration({ CAIRN_SECURITY_CONTACT: text }).securityContact;
  assert.equal(contact("mailto:security@example.org"), "mailto:security@example.org");
  assert.equal(contact("https://example.org/security"), "https://example.org/security");
  for (const text of ["security@example.org", "http://example.org", "mailto:", "https://a b"])
    assert.throws(() => contact(text), /CAIRN_SECURITY_CONTACT is/, text);
});
