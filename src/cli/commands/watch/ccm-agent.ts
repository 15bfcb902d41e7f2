import { OperatorError } from '../../../model/operator-error.ts'
import { decodeUtf8 } from '../../../policy/document/text.ts'
import { reasonOf } from '../../../policy/fetch/files.ts'
import { isAddress } from '../../../policy/fetch/remote.ts'
import { readFileBytes } from '../../../policy/fetch/text-file.ts'
import { type CcmAgent, readCcmAgent } from '../../../runs/watch/ccm-agent.ts'
import { reportProblems, usageError } from '../../errors.ts'
import { isUntrusted } from '../../options/input.ts'
import type { Io } from '../../output/io.ts'
import type { WatchInvocation } from './index.ts'

/**
 * Watches the manifests of a CCM agent's configuration. The command line takes precedence over the file. Throws an
 * `OperatorError` for an unreadable or invalid file.
 */
export async function watchOfAgent(invocation: WatchInvocation, file: string, io: Io): Promise<WatchInvocation> {
  const { operands, options, said } = invocation
  if (operands.length > 0) throw usageError('--ccm-config names the policies: write them into its manifests', 'watch')
  const agent = load(file)
  if (!options.quiet) await reportProblems(agent.passedOver, io)
  if (!options.quiet && agent.manifests.some(isAddress) && isUntrusted(agent.manifests, options)) io.say(NOT_TRUSTED)
  const isLoudnessSaid = options.verbose || options.quiet
  const inputs = {
    data: [...(agent.data === undefined ? [] : [agent.data]), ...options.data],
    context: options.context ?? agent.context,
  }
  const given = Object.entries(inputs).filter(([, value]) => value !== undefined && value.length > 0)
  return {
    ...invocation,
    operands: agent.manifests,
    options: {
      ...options,
      ...inputs,
      every: options.every ?? (options.cron === undefined ? agent.interval : undefined),
      verbose: isLoudnessSaid ? options.verbose : agent.loudness === 'verbose',
      quiet: isLoudnessSaid ? options.quiet : agent.loudness === 'quiet',
    },
    said: { ...said, ...Object.fromEntries(given) },
  }
}

const NOT_TRUSTED =
  'driftgate: fetched policies are untrusted, so their commands do not run and their servers are not queried; pass --trusted to trust them as the agent does\n'

function load(file: string): CcmAgent {
  let bytes: Uint8Array
  try {
    bytes = readFileBytes(file)
  } catch (error) {
    throw new OperatorError(`--ccm-config: ${file} cannot be read: ${reasonOf(error)}`)
  }
  const text = decodeUtf8(file, bytes)
  const read = typeof text === 'string' ? readCcmAgent(file, text) : { ok: false as const, problems: [text] }
  if (read.ok) return read.value
  throw new OperatorError(`the configuration ${file} is not valid`, { problems: read.problems })
}
