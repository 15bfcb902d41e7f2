import type { Command } from '../command.ts'
import { compare } from './compare.ts'
import { completionOf } from './completion.ts'
import { data } from './data.ts'
import { docs } from './docs.ts'
import { ensure } from './ensure.ts'
import { evaluate } from './eval.ts'
import { explain } from './explain.ts'
import { facts } from './facts.ts'
import { graph } from './graph.ts'
import { history } from './history.ts'
import { render } from './render.ts'
import { report } from './report.ts'
import { scan } from './scan.ts'
import { schedule } from './schedule.ts'
import { schema } from './schema.ts'
import { status } from './status.ts'
import { types } from './types.ts'
import { validate } from './validate.ts'
import { waivers } from './waivers.ts'
import { watch } from './watch.ts'

const work: readonly Command[] = [
  scan,
  report,
  compare,
  ensure,
  status,
  history,
  watch,
  schedule,
  waivers,
  validate,
  explain,
  render,
  graph,
  data,
  facts,
  evaluate,
  types,
  docs,
  schema,
]

/** Every command, in the order help lists them. */
export const commands: readonly Command[] = [...work, completionOf(work)]
