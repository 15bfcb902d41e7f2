import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type ContractScene, contractTests, unseenDrifts } from 'driftgate/testing'
import { gitCheckout } from '../src/index.ts'

const WHO = ['-c', 'user.name=test', '-c', 'user.email=test@example.com']

function git(directory: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', directory, ...WHO, ...args], { encoding: 'utf8' }).trim()
}

/** A repository with two commits, a clone of the second one, and a way to change that. */
function scene(
  title: string,
  state: ContractScene['state'],
  change: (site: string, first: string) => void,
): ContractScene {
  return {
    title,
    state,
    arrange(directory) {
      const [repository, site] = [join(directory, 'repository'), join(directory, 'site')]
      mkdirSync(repository)
      git(repository, 'init', '--quiet')
      git(repository, 'commit', '--quiet', '--allow-empty', '--message', 'first')
      const first = git(repository, 'rev-parse', 'HEAD')
      writeFileSync(join(repository, 'index.html'), 'hello\n')
      git(repository, 'add', '.')
      git(repository, 'commit', '--quiet', '--message', 'second')
      const commit = git(repository, 'rev-parse', 'HEAD')
      if (title !== 'a checkout that is missing') git(directory, 'clone', '--quiet', repository, site)
      change(site, first)
      return { name: site, repository, commit }
    },
  }
}

const scenes = [
  scene('a checkout that is right', 'compliant', () => undefined),
  scene('a checkout that is missing', 'fixable', () => undefined),
  scene('another commit', 'fixable', (site, first) => void git(site, 'checkout', '--quiet', first)),
  scene('a file that was changed', 'unfixable', (site) => writeFileSync(join(site, 'index.html'), 'hacked\n')),
]

for (const { name, run } of contractTests(gitCheckout, { scenes })) test(name, run)

test('every difference is in a scene', async () => assert.deepEqual(await unseenDrifts(gitCheckout, { scenes }), []))
