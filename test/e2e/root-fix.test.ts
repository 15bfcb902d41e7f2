import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { needsPrograms, needsStrace } from '../support/programs.ts'
import { driftgateApart, everythingBelow, makeScene, type Scene } from '../support/root-directory.ts'
import { needsRoot } from '../support/temporary.ts'
import { treeState } from '../support/tree-state.ts'
import { writesTrace, writtenPaths } from '../support/written-paths.ts'

/** A small Debian with links in every possible place, each of which leads outside if resolved on this machine. */
const HOSTILE = `
  mkdir -p root/etc root/usr/sbin root/opt root/srv root/var/lib/dpkg "root$OUT" root/home
  printf 'root:x:0:0:root:/root:/bin/sh\\nann:x:4711:4712::/home/ann:/bin/sh\\n' > root/etc/passwd
  printf 'root:x:0:\\nweb:x:4712:\\n' > root/etc/group
  printf 'ID=debian\\nVERSION_ID=12\\n' > root/etc/os-release
  echo 0123456789abcdef0123456789abcdef > root/etc/machine-id
  for name in motd victim twin tree/file; do mkdir -p outside/tree; echo "of the machine" > outside/$name; done
  ln -s "$OUT" root/etc/absolute; ln -s ../../../../../../../../../../../../../../..$OUT root/etc/relative
  ln -s "$OUT/victim" root/etc/link; ln -s "$OUT/victim" root/etc/gone; ln -s "$OUT/tree" root/srv/tree
  ln outside/twin root/etc/twin; chmod 0666 root/etc/twin
  echo old > root/etc/motd; chmod 0600 root/etc/motd
  mkdir -p root/opt/full/inner; ln -s "$OUT" root/opt/full/inner/out; ln -s "$OUT/tree" root/opt/full/tree
  mkdir -p root/srv/pages; echo stray > root/srv/pages/stray; ln -s "$OUT/victim" root/srv/pages/a.conf
  printf 'PASS_MAX_DAYS 99999\\n' > root/etc/login.defs
  mkdir "root$OUT/ssh" outside/ssh; ln -s "$OUT/ssh" root/etc/ssh
  for ssh in "root$OUT/ssh" outside/ssh; do printf 'PermitRootLogin yes\\n' > "$ssh/sshd_config"; done
  touch root/usr/sbin/sshd; chmod 0755 root/usr/sbin/sshd
  mkdir -p root/usr/bin root/usr/lib/systemd/system root/etc/systemd outside/system "root$OUT/system"; touch root/usr/bin/systemctl
  ln -s "$OUT/system" root/etc/systemd/system
  for name in web old; do printf '[Service]\\nExecStart=/bin/true\\n[Install]\\nWantedBy=multi-user.target\\nAlias=www-%%p.service\\n' > root/usr/lib/systemd/system/$name.service; done
  mkdir "root$OUT/system/multi-user.target.wants"; ln -s /usr/lib/systemd/system/old.service "root$OUT/system/multi-user.target.wants"
  mkdir -p templates pack; echo 'value = 1' > templates/a.conf; echo 'value = 2' > templates/b.conf
  echo new > pack/a; echo new > pack/b; tar -czf pack.tar.gz pack; rm -r pack`

const OWNED = 'owner: ann, group: web'

function policyFor(url: string): string {
  return `policy: { id: disk }
ccm:
  resources:
    - file:
        - /etc/motd: { ensure: present, content: "hello\\n", ${OWNED}, mode: "0644" }
        - /etc/absolute/inside: { ensure: present, content: "hello\\n", ${OWNED}, mode: "0640" }
        - /etc/relative/inside2: { ensure: present, content: "hello\\n", ${OWNED}, mode: "0640" }
        - /etc/link: { ensure: present, content: "hello\\n", ${OWNED}, mode: "0644" }
        - /etc/gone: { ensure: absent }
        - /etc/os-release: { ensure: present, owner: root, group: web, mode: "0640" }
        - /opt/full: { ensure: absent, force: true }
        - /srv/new/deep: { ensure: directory, ${OWNED}, mode: "0750" }
        - /srv/tree: { ensure: directory, ${OWNED}, mode: "0750" }
    - setting:
        - "login.defs:PASS_MAX_DAYS": { value: "90" }
        - "sshd:PermitRootLogin": { value: "no" }
    - user:
        - ann: { shell: /bin/false }
    - group:
        - web: { members: [ann] }
        - operators: { gid: 4800 }
    - service:
        - web: { ensure: running, enable: true }
        - old: { ensure: stopped, enable: false }
    - archive:
        - /srv/pack.tar.gz: { ensure: present, url: "${url}", ${OWNED}, extract_parent: /etc/absolute/unpacked, creates: /etc/absolute/unpacked/pack/b }
    - scaffold:
        - /srv/pages: { ensure: present, source: templates, purge: true }
`
}

async function serve(bytes: Buffer): Promise<string> {
  const server = createServer((_, response) => response.end(bytes))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/pack.tar.gz`
}

async function makeHostile(): Promise<Scene> {
  const scene = makeScene(HOSTILE)
  const url = await serve(readFileSync(join(scene.home, 'pack.tar.gz')))
  writeFileSync(join(scene.home, 'disk.yaml'), policyFor(url))
  return scene
}

const scanOf = ({ root }: Scene, ...more: readonly string[]): readonly string[] => [
  'scan',
  'disk.yaml',
  '--target',
  `root:${root}`,
  ...more,
]

describe.skipIf(needsRoot)('--fix --target root:DIR', () => {
  test('repairs what lies in files, once, and undo brings all of it back', async () => {
    const scene = await makeHostile()
    const { root, outside } = scene
    const [before, beside] = [treeState(root), everythingBelow(outside)]
    const fixed = await driftgateApart(scene, scanOf(scene, '--fix', '--report', 'json'))
    const run = JSON.parse(fixed.stdout) as Run
    const others = run.policies[0]?.resources.filter(({ verdict }) => verdict !== 'fixed')
    expect(others?.map(({ id, verdict, message }) => [id, verdict, message])).toEqual([
      // Whether they run is not known before, and so it is after.
      ['service#web', 'error', expect.stringMatching(/^Enabled; ensure: .*not running/i)],
      ['service#old', 'error', expect.stringMatching(/^Disabled; ensure: .*not running/i)],
    ])
    expect([fixed.code, run.target.path]).toEqual([3, root])
    const records = ['passwd', 'group'].map((name) => readFileSync(join(root, 'etc', name), 'utf8'))
    expect(records).toEqual([
      'root:x:0:0:root:/root:/bin/sh\nann:x:4711:4712::/home/ann:/bin/false\n',
      'root:x:0:\nweb:x:4712:ann\noperators:x:4800:\n',
    ])
    const units = join(root, outside, 'system')
    expect(readlinkSync(join(units, 'multi-user.target.wants/web.service'))).toBe('/usr/lib/systemd/system/web.service')
    expect(readdirSync(units).toSorted()).toEqual(['multi-user.target.wants', 'www-web.service'])
    expect(readFileSync(join(root, outside, 'inside'), 'utf8')).toBe('hello\n')
    expect(readFileSync(join(root, outside, 'unpacked/pack/b'), 'utf8')).toBe('new\n')

    const wanted = everythingBelow(root)
    const again = await driftgateApart(scene, scanOf(scene, '--fix'))
    expect([again.code, everythingBelow(root)]).toEqual([3, wanted])
    const audited = await driftgateApart(scene, scanOf(scene, '--report', 'json'))
    expect((JSON.parse(audited.stdout) as Run).summary).toMatchObject({ drifted: 0, error: 2 })

    const { stdout: fixes } = await driftgateApart(scene, ['fixes'])
    expect(fixes).toContain(`below ${root}`)
    const undone = await driftgateApart(scene, ['undo', run.run.id])
    expect(undone.stdout).toContain(`below ${root}`)
    expect({ code: undone.code, stdout: undone.code === 0 ? '' : undone.stdout }).toEqual({ code: 0, stdout: '' })
    // Records are put back line by line, so their files are new.
    const timeless = (state: string): string => state.replaceAll(/^(etc\/(?:passwd|group) f .*) \S+ $/gm, '$1')
    expect(timeless(treeState(root))).toBe(timeless(before))
    expect(everythingBelow(outside)).toBe(beside)
  })

  test.skipIf(needsStrace)(
    'writes nothing outside of it but its state and the reports, by the trace of every call',
    async () => {
      const scene = await makeHostile()
      const { home, root, outside } = scene
      const beside = everythingBelow(outside)
      const out = join(home, 'trace')
      const { code } = await driftgateApart(
        scene,
        scanOf(scene, '--fix', '--report', `json=${join(home, 'report.json')}`),
        ['strace', ...writesTrace(out)],
      )
      expect(code).toBe(3)
      const written = writtenPaths(out)
      const below =
        (directory: string): ((path: string) => boolean) =>
        (path) =>
          path === directory || path.startsWith(`${directory}/`)
      const isAllowed = (path: string): boolean =>
        below(root)(path) || below('/var/lib/driftgate')(path) || /^\/(?:dev\/null$|proc\/\d+\/)/.test(path)
      const isReport = (path: string): boolean => path === join(home, 'report.json') || path.includes('.report.json.')
      const others = written.filter(({ path }) => path.startsWith('/') && !isAllowed(path) && !isReport(path))
      expect(others).toEqual([])
      expect(written.some(({ call, path }) => call === 'rename' && path === join(root, outside, 'inside'))).toBe(true)
      expect(everythingBelow(outside)).toBe(beside)
    },
    60_000,
  )

  test('refuses what needs a program or may lie outside, and says so before anything is changed', async () => {
    const scene = makeScene(HOSTILE)
    const { home, root, outside } = scene
    writeFileSync(
      join(home, 'disk.yaml'),
      `ccm:
  resources:
    - file:
        - /etc/twin: { ensure: present, ${OWNED}, mode: "0600" }
        - /etc/motd: { ensure: present, content: "x", ${OWNED}, mode: "0600", validate: "true %s" }
        - /run/motd: { ensure: present, content: "x", ${OWNED}, mode: "0600" }
    - exec:
        - touch /etc/made: {}
    - package:
        - nginx: { ensure: present }
`,
    )
    const [before, beside] = [everythingBelow(root), everythingBelow(outside)]
    const { stdout, code } = await driftgateApart(scene, scanOf(scene, '--fix', '--report', 'json'))
    const results = (JSON.parse(stdout) as Run).policies[0]?.resources ?? []
    expect(results.map(({ id, verdict, message }) => [id, verdict, message])).toEqual([
      ['file#/etc/twin', 'fix-failed', expect.stringMatching(/other hard links, which may be outside the target/)],
      ['file#/etc/motd', 'fix-failed', expect.stringMatching(/not written: .* cannot be validated/)],
      ['file#/run/motd', 'error', expect.stringMatching(/only on a running system/)],
      ['exec#touch /etc/made', 'fix-failed', expect.stringMatching(/not run/)],
      ['package#nginx', expect.stringMatching(/fix-failed|error/), expect.any(String)],
    ])
    expect([code, everythingBelow(root), everythingBelow(outside)]).toEqual([4, before, beside])
  })

  test.skipIf(needsPrograms('setfacl', 'setcap'))(
    'finds and repairs access lists and capabilities inside, and leaves those of the machine alone',
    async () => {
      const scene = makeScene(HOSTILE)
      const { home, root, outside } = scene
      // Both ways lead to the same place, one below the root and one beside it.
      const acl = (path: string): string => spawnSync('getfacl', ['-cpn', path], { encoding: 'utf8' }).stdout
      for (const at of [outside, join(root, outside)]) {
        writeFileSync(join(at, 'tool'), '', { mode: 0o750 })
        execFileSync('sh', ['-euc', `setfacl -m u:4999:rwx ${at}/tool; setcap cap_net_raw=ep ${at}/tool`])
      }
      const beside = [everythingBelow(outside), acl(join(outside, 'tool'))]
      writeFileSync(
        join(home, 'disk.yaml'),
        `ccm:
  resources:
    - file:
        - /etc/absolute/tool: { ensure: present, owner: root, group: root, mode: "0750", acl: ["user:ann:r-x"], capabilities: none }
`,
      )
      const seen = await driftgateApart(scene, scanOf(scene, '--report', 'json'))
      const [found] = (JSON.parse(seen.stdout) as Run).policies[0]?.resources ?? []
      expect(found?.drift.map(({ property }) => property)).toEqual(expect.arrayContaining(['acl', 'capabilities']))
      expect(await driftgateApart(scene, scanOf(scene, '--fix'))).toMatchObject({ stderr: '', code: 0 })
      expect(acl(join(root, outside, 'tool'))).toMatch(/^user:4711:r-x$/m)
      expect(spawnSync('getcap', [join(root, outside, 'tool')], { encoding: 'utf8' }).stdout).toBe('')
      expect((await driftgateApart(scene, ['undo', '--latest'])).code).toBe(0)
      expect(acl(join(root, outside, 'tool'))).toMatch(/^user:4999:rwx$/m)
      expect([everythingBelow(outside), acl(join(outside, 'tool'))]).toEqual(beside)
    },
  )

  test('does what a plan says that was made of the directory, and nothing else', async () => {
    const scene = await makeHostile()
    const { home, root } = scene
    const plan = join(home, 'plan.json')
    const before = everythingBelow(root)
    const planned = await driftgateApart(scene, scanOf(scene, '--save-plan', plan, '--only', 'file#/etc/motd'))
    expect([planned.code, everythingBelow(root)]).toEqual([2, before])
    const { stdout } = await driftgateApart(scene, scanOf(scene, '--fix', '--plan', plan, '--report', 'json'))
    const fixed = (JSON.parse(stdout) as Run).policies[0]?.resources.filter(({ verdict }) => verdict === 'fixed')
    expect(fixed?.map(({ id }) => id)).toEqual(['file#/etc/motd'])
    writeFileSync(join(root, 'etc/machine-id'), 'fedcba9876543210fedcba9876543210\n')
    const other = await driftgateApart(scene, scanOf(scene, '--fix', '--plan', plan))
    expect([other.code, other.stderr]).toEqual([1, expect.stringMatching(/another host/)])
  })

  test('is what a scan that runs inside finds compliant', async () => {
    const scene = makeScene(`
      mkdir -p root/etc root/usr root/proc root/dev root/project root/policy root/srv root/tmp
      for name in bin sbin lib lib64; do ln -s usr/$name root/$name; done
      printf 'root:x:0:0:root:/root:/bin/sh\\nann:x:4711:4712::/home/ann:/bin/sh\\n' > root/etc/passwd
      printf 'root:x:0:\\nweb:x:4712:\\n' > root/etc/group; printf 'passwd: files\\ngroup: files\\n' > root/etc/nsswitch.conf
      printf 'ID=debian\\nVERSION_ID=12\\n' > root/etc/os-release; printf 'PASS_MAX_DAYS 99999\\n' > root/etc/login.defs
      echo old > root/etc/motd; ln -s /srv root/etc/link`)
    const { home, root } = scene
    writeFileSync(
      join(home, 'disk.yaml'),
      `ccm:
  resources:
    - file:
        - /etc/motd: { ensure: present, content: "hello\\n", ${OWNED}, mode: "0644" }
        - /etc/link/deep/er: { ensure: directory, ${OWNED}, mode: "0750" }
    - setting:
        - "login.defs:PASS_MAX_DAYS": { value: "90" }
    - group:
        - operators: { gid: 4800 }
    - user:
        - ann: { shell: /bin/bash, groups: { includes: [operators] } }
`,
    )
    expect(await driftgateApart(scene, scanOf(scene, '--fix'))).toMatchObject({ stderr: '', code: 0 })
    const project = fileURLToPath(new URL('../..', import.meta.url))
    const inside = `mount --rbind /usr "$1/usr" && mount -t proc proc "$1/proc" && mount --bind /dev "$1/dev" &&
      mount --bind "$2" "$1/project" && cp "$3" "$1/policy/" &&
      exec chroot "$1" "$4" /project/dist/bin/driftgate.js scan /policy/disk.yaml --report json`
    const args = [
      '--mount',
      '--propagation',
      'private',
      'sh',
      '-c',
      inside,
      'sh',
      root,
      project,
      join(home, 'disk.yaml'),
    ]
    const { stdout, stderr } = spawnSync('unshare', [...args, process.execPath], { encoding: 'utf8' })
    const verdicts = stdout === '' ? stderr : (JSON.parse(stdout) as Run).summary
    expect(verdicts).toMatchObject({ compliant: 5, drifted: 0, error: 0 })
  })
})
