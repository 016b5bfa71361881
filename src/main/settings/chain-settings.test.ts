import assert from "node:assert/strict";
import { test } from "node:test";
import { accountKey, accountText } from "../../platform/chain/account.ts";
import { devAccountNamed } from "../../platform/chain/dev/keys.ts";
import { readConfiguration } from "./settings.ts";

const textOf = (name: string) => accountText(devAccountNamed(name)?.key ?? assert.fail(name));
const project = textOf("project");
const escrow = textOf("escrow");

test("nodes and accounts are read", () => {
  const read = readConfiguration({
    CAIRN_NANO_RPC_URLS: "https://one.example/rpc?key=5, http://127.0.0.1:7076",
    CAIRN_NANO_RPC_QUORUM: "2",
    CAIRN_NANO_RPC_AUTH: "Bearer s e c",
    CAIRN_NANO_ADDRESS: project.replace("nano_", "xrb_"),
    CAIRN_ESCROW_NANO_ADDRESS: escrow,
  });
  assert.deepEqual(read.nanoRpcUrls, ["https://one.example/rpc?key=5", "http://127.0.0.1:7076"]);
  assert.equal(read.nanoRpcQuorum, 2);
  assert.equal(read.nanoRpcAuth, "Bearer s e c");
  assert.equal(read.nanoAddress, accountKey(project));
  assert.equal(read.escrowNanoAddress, accountKey(escrow));
  const { nanoRpcUrls, nanoAddress, devChain, devChainPort } = readConfiguration({});
  assert.deepEqual([nanoRpcUrls, nanoAddress, devChain, devChainPort], [[], null, "off", 17_076]);
});

const NODE = { CAIRN_NANO_RPC_URLS: "http://127.0.0.1:7076" };
const DEV = { CAIRN_DEV_CHAIN: "on" };

test("an unusable setting is refused with a sentence, and no secret is shown", () => {
  const cases: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ CAIRN_NANO_RPC_URLS: "ftp://secret.example" }, /^CAIRN_NANO_RPC_URLS is not readable/],
    [{ CAIRN_NANO_RPC_URLS: "http://a.example,http://a.example" }, /different/],
    [{ CAIRN_NANO_RPC_URLS: "http://user:secret@a.example" }, /URLS is not readable/],
    [{ ...NODE, CAIRN_NANO_RPC_AUTH: "secret\n" }, /AUTH is not readable/],
    [{ CAIRN_NANO_ADDRESS: project.slice(0, -1) }, /^CAIRN_NANO_ADDRESS is ".+right checksum/],
    [{ CAIRN_NANO_ADDRESS: textOf("project").replace("1xci", "1xcj") }, /right checksum/],
    [
      {
        CAIRN_NANO_ADDRESS: "nano_1111111111111111111111111111111111111111111111111111hifc8npp",
      },
      /CAIRN_NANO_ADDRESS/,
    ],
    [
      { CAIRN_NANO_ADDRESS: project, CAIRN_ESCROW_NANO_ADDRESS: project.replace("nano", "xrb") },
      /are the same account/,
    ],
    [{ ...NODE, CAIRN_NANO_RPC_QUORUM: "2" }, /QUORUM is 2, but CAIRN_NANO_RPC_URLS names 1\.$/],
    [{ CAIRN_NANO_RPC_QUORUM: "2" }, /names 0\.$/],
    [{ CAIRN_NANO_RPC_QUORUM: "0" }, /allowed is 1 to 8/],
    [{ CAIRN_NANO_RPC_AUTH: "secret" }, /which is not set/],
    [{ ...DEV, ...NODE }, /^CAIRN_DEV_CHAIN sets nodes and accounts itself/],
    [{ ...DEV, CAIRN_NANO_ADDRESS: project }, /itself/],
    [{ ...DEV, CAIRN_ESCROW_NANO_ADDRESS: escrow }, /itself/],
    [{ ...DEV, CAIRN_NANO_RPC_AUTH: "secret" }, /itself/],
    [{ ...DEV, CAIRN_NANO_RPC_QUORUM: "2" }, /itself/],
    [{ CAIRN_DEV_CHAIN: "yes" }, /allowed is on or off/],
  ];
  for (const [variables, sentence] of cases) {
    const refused = (error: Error) => {
      assert.match(error.message, sentence);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    };
    assert.throws(() => readConfiguration(variables), refused, JSON.stringify(variables));
  }
});
