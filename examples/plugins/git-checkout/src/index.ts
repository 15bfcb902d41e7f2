import {
  absent,
  cannot,
  type CommandOutcome,
  definePlugin,
  defineProperties,
  defineResource,
  differences,
  missing,
  onlyRunning,
  present,
  type Unknown,
  unknown,
} from 'driftgate'

const properties = defineProperties({
  name: { kind: 'text', required: true, absolutePath: true, summary: 'The directory.' },
  repository: { kind: 'text', required: true, nonEmpty: true, summary: 'From where it is cloned.' },
  commit: {
    kind: 'text',
    required: true,
    pattern: { expression: '[0-9a-f]{40}', describes: 'a commit by its 40 digits' },
    summary: 'The commit that is checked out.',
  },
})

interface Checkout {
  readonly commit: string
  readonly isClean: boolean
}

export const gitCheckout = defineResource({
  type: 'acme.git_checkout',
  summary: 'A commit of a repository, checked out and unchanged.',
  properties,
  drifts: ['ensure', 'commit', 'changes'],
  uses: ['files', 'commands'],
  examples: [
    {
      title: 'A site',
      yaml: `acme.git_checkout:\n  - /srv/www:\n      repository: https://git.example/site.git\n      commit: ${'a1'.repeat(20)}`,
    },
  ],
  async observe(target, { name }, { signal }) {
    const seen = target.files.stat(`${name}/.git`)
    if (seen.kind !== 'present') return seen.kind === 'absent' ? absent() : seen
    // Without locks, for `git status` writes its index otherwise.
    const look = ['git', '--no-optional-locks', '-C', name] as const
    const head = await target.run({ argv: [...look, 'rev-parse', 'HEAD'], workingDirectory: '/', signal })
    if (head.kind !== 'exited' || head.exitCode !== 0) return notTold(head)
    const status = await target.run({ argv: [...look, 'status', '--porcelain'], workingDirectory: '/', signal })
    if (status.kind !== 'exited' || status.exitCode !== 0) return notTold(status)
    return present<Checkout>({ commit: head.stdout.trim(), isClean: status.stdout === '' })
  },
  decide({ name, repository, commit }, seen) {
    if (seen.kind === 'absent') {
      return missing({ fix: { action: 'clone', effects: [{ kind: 'create', object: `${name} from ${repository}` }] } })
    }
    const { commit: found, isClean } = seen.state
    const compared = [
      { property: 'commit', original: found, desired: commit },
      { property: 'changes', original: isClean ? 'none' : 'some', desired: 'none' },
    ]
    const obstacles = isClean ? [] : [cannot('files in it were changed, which a fix would lose')]
    return differences(compared, {
      fix: { action: 'move', effects: [{ kind: 'change', object: `the commit of ${name}` }] },
      obstacles,
    })
  },
  async apply(remediator, { name, repository, commit }, action: string, { signal }) {
    const undo = { kind: 'files', paths: [name] } as const
    const run = (...args: readonly string[]): Promise<CommandOutcome> =>
      remediator.run({ argv: ['git', ...args], workingDirectory: '/', signal, undo })
    const fetched = await (action === 'clone'
      ? run('clone', '--quiet', '--no-checkout', '--', repository, name)
      : run('-C', name, 'fetch', '--quiet', '--', repository, commit))
    const done = isFine(fetched) ? await run('-C', name, 'checkout', '--quiet', '--detach', commit) : fetched
    return isFine(done) ? { kind: 'done' } : { kind: 'failed', message: notTold(done).detail }
  },
})

function isFine(outcome: CommandOutcome): boolean {
  return outcome.kind === 'exited' && outcome.exitCode === 0
}

function notTold(outcome: CommandOutcome): Unknown {
  if (outcome.kind !== 'not-started') return unknown('command', `git: ${outcome.stderr.trim()}`)
  return outcome.needs === undefined ? unknown('command', outcome.message) : onlyRunning(outcome.message)
}

export const plugin = definePlugin({ apiVersion: 2, types: [gitCheckout] })
