import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, test } from 'vitest'
import { isTemporaryName } from '../../src/host/live/temporary-name.ts'
import { numbersFrom } from '../support/numbers.ts'
import { needsStrace } from '../support/programs.ts'
import { driftgateApart, everythingBelow, makeScene, type Scene } from '../support/root-directory.ts'
import { cases } from '../support/soak.ts'
import { needsRoot } from '../support/temporary.ts'
import { treeState } from '../support/tree-state.ts'

/** Its homes lie behind a link that would lead outside, were it followed by this machine. */
const SYSTEM = `
  mkdir -p root/etc/skel/.config root/etc/default "root$OUT" root/usr root/var; ln -s "$OUT" root/home
  printf 'root:x:0:0::/root:/bin/sh\\n' > root/etc/passwd; printf 'root:*:19000:0:99999:7:::\\n' > root/etc/shadow
  printf 'root:x:0:\\nmail:x:8:\\nweb:x:1040:\\n' > root/etc/group; printf 'root:*::\\nweb:!::\\n' > root/etc/gshadow
  touch root/etc/subuid root/etc/subgid; chmod 0640 root/etc/shadow root/etc/gshadow; mkdir root/var/mail
  printf 'USERGROUPS_ENAB yes\\nHOME_MODE 0700\\n' > root/etc/login.defs
  printf 'SHELL=/bin/sh\\nCREATE_MAIL_SPOOL=yes\\n' > root/etc/default/useradd
  echo first > root/etc/skel/.profile; echo second > root/etc/skel/.config/app; ln -s .config/app root/etc/skel/link`

const POLICY = `ccm:
  resources:
    - user:
        - app: { shell: /bin/sh, groups: [web], max_days: { at_most: 365 } }
        - daemon2: { system: true, home: /srv/deep/er, create_home: true }
        - bare: { create_home: false, comment: Nobody }
`

const scanOf = ({ root }: Scene, ...more: readonly string[]): readonly string[] => [
  'scan',
  'disk.yaml',
  '--target',
  `root:${root}`,
  ...more,
]

function makeSystem(): Scene {
  const scene = makeScene(SYSTEM)
  writeFileSync(join(scene.home, 'disk.yaml'), POLICY)
  return scene
}

const CALLS = ['rename', 'symlink', 'unlink', 'mkdir', 'write', 'fsync', 'fchmod', 'chown', 'lchown', 'openat']
const KILLS = cases({ usual: 8, soak: 300 })

const temporariesIn = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.split('/').some(isTemporaryName))

/** Without the times of inodes and the text of shadow, which has the day in it. */
const recordsIn = (root: string): readonly string[] =>
  ['passwd', 'shadow', 'group', 'gshadow', 'subuid', 'subgid'].map((name) =>
    readFileSync(join(root, 'etc', name), 'utf8'),
  )

describe.skipIf(needsRoot)('accounts that a fix makes below a root directory', () => {
  test('have their records and homes inside, once, and undo takes all of it away', async () => {
    const scene = makeSystem()
    const { root, outside } = scene
    const [before, beside] = [treeState(root), everythingBelow(outside)]
    expect(await driftgateApart(scene, scanOf(scene, '--fix'))).toMatchObject({ stderr: '', code: 0 })
    const today = String(Math.floor(Date.now() / 86_400_000))
    expect(recordsIn(root).map((text) => text.replaceAll(`:${today}:`, ':TODAY:'))).toEqual([
      'root:x:0:0::/root:/bin/sh\napp:x:1000:1000::/home/app:/bin/sh\ndaemon2:x:999:999::/srv/deep/er:/bin/sh\nbare:x:1001:1001:Nobody:/home/bare:/bin/sh\n',
      'root:*:19000:0:99999:7:::\napp:!:TODAY::365::::\ndaemon2:!:TODAY::::::\nbare:!:TODAY::::::\n',
      'root:x:0:\nmail:x:8:\nweb:x:1040:app\napp:x:1000:\ndaemon2:x:999:\nbare:x:1001:\n',
      'root:*::\nweb:!::app\napp:!::\ndaemon2:!::\nbare:!::\n',
      'app:100000:65536\nbare:165536:65536\n',
      'app:100000:65536\nbare:165536:65536\n',
    ])
    expect(readFileSync(join(root, outside, 'app/link'), 'utf8')).toBe('second\n')
    expect(readdirSync(join(root, outside))).toEqual(['app'])
    expect(readdirSync(join(root, 'var/mail')).toSorted()).toEqual(['app', 'bare'])
    const made = everythingBelow(root)
    expect((await driftgateApart(scene, scanOf(scene, '--fix'))).code).toBe(0)
    expect([everythingBelow(root), everythingBelow(outside)]).toEqual([made, beside])
    const [fix] = JSON.parse((await driftgateApart(scene, ['fixes', '--json'])).stdout) as { readonly run: string }[]
    expect(await driftgateApart(scene, ['undo', fix?.run ?? ''])).toMatchObject({ stderr: '', code: 0 })
    // Records are put back line by line, so their files are new.
    const timeless = (state: string): string =>
      state.replaceAll(/^(etc\/(?:g?shadow|passwd|group|subuid|subgid) f .*) \S+ $/gm, '$1')
    expect(timeless(treeState(root))).toBe(timeless(before))
    expect(everythingBelow(outside)).toBe(beside)
  })

  test('have one record in gshadow where a fix was stopped before it wrote that in group', async () => {
    const scene = makeSystem()
    appendFileSync(join(scene.root, 'etc/gshadow'), 'app:!::\nops:!::\n')
    appendFileSync(join(scene.home, 'disk.yaml'), '    - group: { name: ops }\n')
    expect(await driftgateApart(scene, scanOf(scene, '--fix'))).toMatchObject({ stderr: '', code: 0 })
    const [, , , gshadow] = recordsIn(scene.root)
    expect(gshadow?.split('\n').toSorted()).toEqual([
      '',
      'app:!::',
      'bare:!::',
      'daemon2:!::',
      'ops:!::',
      'root:*::',
      'web:!::app',
    ])
  })

  test.skipIf(needsStrace)(
    `are made whole by the next fix, or taken away, where one is killed, ${KILLS} times`,
    async () => {
      const random = numbersFrom(Number(process.env['DRIFTGATE_TEST_SEED'] ?? 1))
      const wanted = makeSystem()
      expect((await driftgateApart(wanted, scanOf(wanted, '--fix'))).code).toBe(0)
      let killed = 0
      for (let index = 0; index < KILLS; index++) {
        const scene = makeSystem()
        const { root, outside } = scene
        const [before, beside] = [recordsIn(root), everythingBelow(outside)]
        const call = CALLS[Math.floor(random() * CALLS.length)] ?? 'write'
        const kill = `inject=${call}:signal=SIGKILL:when=${1 + Math.floor(random() * (call === 'openat' ? 900 : 40))}`
        const strace = ['strace', '-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`, '-e', kill]
        const { code } = await driftgateApart(scene, scanOf(scene, '--fix'), strace)
        if (code !== 0) killed++
        // An account that is there has its group, its home and no password.
        const [passwd = '', shadow = '', group = ''] = recordsIn(root)
        if (/^app:/m.test(passwd)) {
          expect([/^app:!:/m.test(shadow), /^app:x:1000:$/m.test(group)], kill).toEqual([true, true])
          expect(readdirSync(join(root, outside, 'app')).toSorted(), kill).toEqual(['.config', '.profile', 'link'])
        }
        if (index % 2 === 0) {
          const again = await driftgateApart(scene, scanOf(scene, '--fix'))
          expect(again, `${kill}: ${again.stdout}${again.stderr}`).toMatchObject({ code: 0 })
          expect((await driftgateApart(scene, scanOf(scene))).code, kill).toBe(0)
          expect(recordsIn(root), kill).toEqual(recordsIn(wanted.root))
          const locks = readdirSync(join(root, 'etc')).filter((name) => name.endsWith('.lock'))
          expect(locks, kill).toEqual([])
        } else {
          const { stdout } = await driftgateApart(scene, ['fixes', '--json'])
          if (stdout.trim() === '[]') continue
          expect((await driftgateApart(scene, ['undo', '--latest'])).code, kill).toBe(0)
          expect(recordsIn(root), kill).toEqual(before)
          expect(existsSync(join(root, outside, 'app')), kill).toBe(false)
        }
        expect(temporariesIn(root), kill).toEqual([])
        expect(everythingBelow(outside)).toBe(beside)
      }
      expect(killed).toBeGreaterThan(KILLS / 3)
    },
    180_000,
  )
})
