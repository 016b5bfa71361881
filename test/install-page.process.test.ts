import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "./postgres-store.ts";

const ROOT = join(import.meta.dirname, "..");
const PAGE = readFileSync(join(ROOT, "docs/operating/install.md"), "utf8");
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/**
 * Where the machine of the test is not that of the page. It is a fresh Debian 12 with a systemd of its own, and the
 * network and kernel of this machine:
 * - the clone comes from the last commit of this checkout;
 * - the name of the page leads to the machine itself, and Caddy's own authority certifies it;
 * - the registry may have a certificate that only this machine knows;
 * - the block for the kernel is left out.
 */
const CHANGED: Readonly<Record<string, string>> = {
  "<this repository>": "file:///srv/origin.git",
  "{\n\tlog default": "{\n\tlocal_certs\n\tlog default",
};
const LEFT_OUT = /sysctl/;

/** The blocks that are pasted, each with what the page shows of its output. */
function blocksOf(page: string) {
  const blocks = [...page.matchAll(/^```console\n(.+?)^```\n(?:\n```text\n(.+?)^```)?/gms)];
  return blocks
    .map(([, command = "", shown = ""]) => ({ command, shown }))
    .filter(({ command }) => !LEFT_OUT.test(command));
}

function ran(file: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(file, args, { encoding: "utf8" });
  assert.equal(status, 0, `${file} ${args.join(" ")}: ${stderr}`);
}

/** Debian with nothing but a systemd, and what leads from it to this checkout. */
function debianIn(folder: string): string {
  const root = join(folder, "root");
  ran(
    "mmdebstrap",
    "--quiet",
    "--variant=minbase",
    "--include=ca-certificates,systemd",
    "bookworm",
    root,
  );
  ran("git", "clone", "--quiet", "--bare", ROOT, join(root, "srv/origin.git"));
  for (const file of ["etc/resolv.conf", CERTIFICATES]) cpSync(join("/", file), join(root, file));
  cpSync(CERTIFICATES, join(root, "usr/local/share/ca-certificates/here.crt"));
  writeFileSync(join(root, "etc/hosts"), "127.0.0.1 localhost cairn.example.org\n");
  mkdirSync(join(root, "out"));
  return root;
}

/** In namespaces of its own: mounts the system's file systems, and becomes systemd. */
const BOOT = `set -e
mount --make-rprivate / && mount --bind "$1" "$1" && cd "$1"
mount -t proc proc proc && mount --bind proc/sys proc/sys && mount -o remount,ro,bind proc/sys
mount --rbind /dev dev
mount -t tmpfs tmpfs run && mkdir run/lock && mount -t tmpfs tmpfs tmp -o mode=1777
mount -t sysfs -o ro sysfs sys && mount -t tmpfs tmpfs sys/fs/cgroup -o mode=755
while IFS=: read -r _ names _; do
  if [ -z "$names" ]; then mkdir -p sys/fs/cgroup/unified && mount -t cgroup2 none sys/fs/cgroup/unified
  else mkdir "sys/fs/cgroup/\${names#name=}" && mount -t cgroup -o "\${names/#name=/none,name=}" none "sys/fs/cgroup/\${names#name=}"; fi
done < /proc/self/cgroup
exec env -i container=docker PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot . /lib/systemd/systemd --system --unit=multi-user.target`;

/** Its processes are in groups of their own, which end with it. */
const START = `set -e
for group in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs; do
  [ -e "$group" ] || continue
  own="\${group%/*}/$2"; mkdir "$own"
  for limit in cpuset.cpus cpuset.mems; do [ ! -e "$own/$limit" ] || cat "\${group%/*}/$limit" > "$own/$limit"; done
  echo $$ > "$own/cgroup.procs"
done
exec unshare --mount --pid --fork --uts --ipc --cgroup --kill-child bash -c "$BOOT" boot "$1"`;

/** Boots the root; resolves to the number of its first process. */
async function boot(t: TestContext, root: string): Promise<string> {
  const group = "cairn-install-page";
  const child: ChildProcess = spawn("bash", ["-c", START, "start", root, group], {
    env: { PATH: process.env["PATH"], BOOT },
    stdio: "ignore",
  });
  t.after(async () => {
    child.kill("SIGKILL");
    await eventually(async () => !existsSync(`/proc/${first}`));
    spawnSync("sh", [
      "-c",
      `find /sys/fs/cgroup -depth -type d -path '*/${group}*' -exec rmdir {} +`,
    ]);
  });
  let first = "";
  await eventually(async () => {
    assert.equal(child.exitCode, null, "the namespaces could not be made");
    const file = `/proc/${child.pid}/task/${child.pid}/children`;
    first = readFileSync(file, "utf8").trim();
    return first !== "" && /^systemd$/m.test(readFileSync(`/proc/${first}/comm`, "utf8"));
  });
  await eventually(async () =>
    /running|degraded/.test(inside(first, "systemctl is-system-running").said),
  );
  return first;
}

function inside(first: string, script: string) {
  const args = ["-t", first, "-m", "-p", "-u", "-i", "-C", "-r", "-w"];
  const { status, stdout, stderr } = spawnSync("nsenter", [...args, "bash", "-c", script], {
    encoding: "utf8",
    env: {
      PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      HOME: "/root",
      DEBIAN_FRONTEND: "noninteractive",
      NODE_EXTRA_CA_CERTS: CERTIFICATES,
      npm_config_cafile: CERTIFICATES,
    },
  });
  return { status, said: stdout + stderr };
}

/** Caddy's authority, as soon as there is one. */
const TRUST = `(until cp /var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt /usr/local/share/ca-certificates/caddy.crt
do sleep 0.2; done; update-ca-certificates) > /out/trust 2>&1 &`;

const patternOf = (shown: string): RegExp =>
  new RegExp(
    shown
      .trimEnd()
      .split("…")
      .map((part) => RegExp.escape(part))
      .join("[^]*?"),
  );

const has = (program: string): boolean =>
  spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
const skip =
  (process.env["TEST_INSTALLS"] === undefined && "it takes minutes: TEST_INSTALLS=1") ||
  (!(process.geteuid?.() === 0 && ["mmdebstrap", "unshare", "nsenter"].every(has)) &&
    "it needs root, mmdebstrap, unshare and nsenter");

test("the page Install, as pasted into a fresh Debian, ends with a backup and no fault", {
  skip,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-page-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const first = await boot(t, debianIn(folder));
  const began_ms = performance.now();
  const said: string[] = [];
  let where = "/root";
  for (const { command, shown } of blocksOf(PAGE)) {
    const changed = Object.entries(CHANGED).reduce(
      (text, [from, to]) => text.replaceAll(from, to),
      command,
    );
    const trust = command.includes("restart caddy") ? TRUST : "";
    const { status, said: printed } = inside(
      first,
      `set -e; cd ${where}\n${trust}\n${changed}\npwd > /out/where`,
    );
    assert.equal(status, 0, `${command}\n${printed}`);
    assert.match(printed, patternOf(shown), command);
    where = inside(first, "cat /out/where").said.trim();
    said.push(printed);
  }
  const minutes = (performance.now() - began_ms) / 60_000;
  const [doctor = ""] = said.slice(-1);
  assert.match(doctor, /\nFaults: 0\. Warnings: 1\.\n/);
  assert.match(doctor, /\nWARNING {2}alarms /);
  assert.match(doctor, /\/console\/open\?key=/);
  const { said: state } = inside(
    first,
    "systemctl show cairn -p ActiveState,NRestarts,User; ls /var/backups/cairn; cd /; npm --prefix /srv/cairn run -s cairn -- post list",
  );
  assert.match(state, /ActiveState=active/);
  assert.match(state, /NRestarts=0/);
  assert.match(state, /cairn-\w+\.db/);
  assert.match(state, /data: \/var\/lib\/cairn \(the service cairn\.example\.org, process \d+\)/);
  t.diagnostic(`${minutes.toFixed(1)} minutes, ${PAGE.split(/\s+/).length} words`);
});
