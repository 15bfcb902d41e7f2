import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readlinkSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openRootedTarget } from '../../../src/host/root/open-root.ts'
import type { Target } from '../../../src/host/target.ts'
import { put } from '../../support/contract.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

function systemIn(root: string): Target {
  put(root, { 'etc/hostname': 'a', 'srv/app/config': 'one', 'srv/app/link': '' })
  const opened = openRootedTarget(root)
  if (opened.kind === 'refused') throw new Error(opened.message)
  return opened.target
}

function openBelow(root: string): number {
  const leads = readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`)
    } catch {
      return ''
    }
  })
  return leads.filter((path) => path === root || path.startsWith(`${root}/`)).length
}

test('directories stay open until the event loop turns, and none is left open', async () => {
  const root = temporaryDirectory()
  const target = systemIn(root)
  await setImmediate()
  expect(openBelow(root)).toBe(0)
  for (const path of ['/srv/app/config', '/srv/app/../app/config', '/srv/app']) {
    expect(target.files.stat(path)).toMatchObject({ kind: 'present' })
  }
  expect(openBelow(root)).toBe(3)
  await setImmediate()
  expect(openBelow(root)).toBe(0)
})

test('a change is visible at once after forget, and otherwise after one turn of the event loop', async () => {
  const root = temporaryDirectory()
  const target = systemIn(root)
  const text = (): string => {
    const head = target.files.readHead('/srv/app/config', 9)
    return head.kind === 'known' ? Buffer.from(head.value).toString() : head.detail
  }
  expect([target.files.lstat('/srv/app'), text()]).toMatchObject([{ state: { mode: 0o755 } }, 'one'])
  chmodSync(join(root, 'srv/app'), 0o700)
  target.forget()
  expect(target.files.lstat('/srv/app')).toMatchObject({ state: { mode: 0o700 } })
  renameSync(join(root, 'srv/app'), join(root, 'srv/old'))
  mkdirSync(join(root, 'srv/app'))
  writeFileSync(join(root, 'srv/app/config'), 'two')
  await setImmediate()
  expect(text()).toBe('two')
})

test('a file that takes longer to read than the event loop to turn is read to its end, and closed', async () => {
  const root = temporaryDirectory()
  const target = systemIn(root)
  const content = Buffer.alloc(64 * 1024 * 1024, 'content ')
  writeFileSync(join(root, 'srv/app/large'), content)
  const stat = target.files.stat('/srv/app/large')
  if (stat.kind !== 'present') throw new Error('it is there')
  const digest = target.files.digest('/srv/app/large', stat.state)
  await setImmediate()
  expect(openBelow(root)).toBeGreaterThan(0)
  const sha256 = createHash('sha256').update(content).digest('hex')
  expect(JSON.stringify(await digest)).toContain(sha256)
  expect(openBelow(root)).toBe(0)
})
