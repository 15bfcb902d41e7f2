import { ifThere } from '../../host/if-there.ts'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { globMatcher } from '../../model/selection.ts'
import { attempt, OperatorError } from '../../model/operator-error.ts'
import { replaceFile } from '../../host/live/own-file.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { type Acceptance, isProved, type Pending, type PendingToken } from './enrolment.ts'

const LARGEST_BYTES = 64 * 1024
const TOKENS = 'tokens'

/** Open invitations and tokens of a fleet. */
export interface PendingInvitations {
  /**
   * Finds the invitation of an answer; `settle` removes it once the host is a member. Throws an `OperatorError` without
   * a match.
   */
  readonly find: (answer: Acceptance, nowMs: number) => { readonly pending: Pending; readonly settle: () => void }
}

/** Stores an invitation; replaces an earlier one of the same host. Throws an `OperatorError`. */
export function keepPending(directory: string, pending: Pending): void {
  writePending(directory, `${pending.name}.json`, pending)
}

/** Stores a token under this id. Throws an `OperatorError`. */
export function keepToken(directory: string, id: string, token: PendingToken): void {
  writePending(join(directory, TOKENS), `${id}.json`, token)
}

/** Reads the tokens once, and counts their uses. Throws an `OperatorError`. */
export function openPending(directory: string): PendingInvitations {
  const tokens = new Map(tokensIn(join(directory, TOKENS)))
  return {
    find(answer, nowMs) {
      const { name } = answer
      const path = join(directory, `${name}.json`)
      const own = readJson<Pending>(path)
      if (own !== undefined && isProved(answer, own, nowMs))
        return { pending: own, settle: () => rmSync(path, { force: true }) }
      for (const [file, token] of tokens) {
        if (!globMatcher(token.pattern)(name) || !isProved(answer, token, nowMs)) continue
        if (token.uses === 0) throw new OperatorError(`the token of ${name} is used up: create a new one`)
        tokens.set(file, { ...token, uses: token.uses - 1 })
        const settle = (): void => writePending(join(directory, TOKENS), file, tokens.get(file) ?? token)
        return { pending: { ...token, name }, settle }
      }
      throw new OperatorError(
        own === undefined
          ? `${name} was not invited, its token has expired, or it has answered before: invite it with "driftgate fleet enrol ${name}"`
          : `the answer of ${name} does not match its invitation, or is too late: invite it again with "driftgate fleet enrol"`,
      )
    },
  }
}

function tokensIn(directory: string): readonly (readonly [string, PendingToken])[] {
  return (
    attempt(`cannot read ${directory}`, () =>
      ifThere(() =>
        readdirSync(directory).flatMap((file) => {
          const token = readJson<PendingToken>(join(directory, file))
          return token === undefined ? [] : [[file, token] as const]
        }),
      ),
    ) ?? []
  )
}

function readJson<Value>(path: string): Value | undefined {
  return attempt(`cannot read ${path}`, () =>
    ifThere(() => JSON.parse(readWhole(path, LARGEST_BYTES).toString('utf8'))),
  )
}

function writePending(directory: string, name: string, value: object): void {
  attempt(`cannot write ${join(directory, name)}`, () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    replaceFile(join(directory, name), JSON.stringify(value), { mode: 0o600 })
  })
}
