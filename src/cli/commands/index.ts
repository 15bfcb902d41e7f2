import type { Command } from '../command.ts'
import { agent } from './agent/index.ts'
import { capture } from './capture/index.ts'
import { compare } from './compare/index.ts'
import { completionOf } from './completion/index.ts'
import { confirm } from './confirm/index.ts'
import { data } from './data/index.ts'
import { docs } from './docs/index.ts'
import { doctor } from './doctor/index.ts'
import { ensure } from './ensure/index.ts'
import { evaluate } from './eval/index.ts'
import { evidence } from './evidence/index.ts'
import { explain } from './explain/index.ts'
import { facts } from './facts/index.ts'
import { fixes } from './fixes/index.ts'
import { fleet } from './fleet/index.ts'
import { graph } from './graph/index.ts'
import { history } from './history/index.ts'
import { importFrom } from './import/index.ts'
import { init } from './init/index.ts'
import { newPackage } from './new/index.ts'
import { policies } from './policies/index.ts'
import { render } from './render/index.ts'
import { report } from './report/index.ts'
import { scan } from './scan/index.ts'
import { schedule } from './schedule/index.ts'
import { schema } from './schema/index.ts'
import { show } from './show/index.ts'
import { status } from './status/index.ts'
import { types } from './types/index.ts'
import { undo } from './undo/index.ts'
import { validate } from './validate/index.ts'
import { version } from './version/index.ts'
import { waivers } from './waivers/index.ts'
import { watch } from './watch/index.ts'

const work: readonly Command[] = [
  init,
  doctor,
  scan,
  show,
  report,
  compare,
  ensure,
  status,
  capture,
  fixes,
  undo,
  confirm,
  history,
  fleet,
  agent,
  evidence,
  watch,
  schedule,
  waivers,
  policies,
  validate,
  explain,
  render,
  importFrom,
  graph,
  data,
  facts,
  newPackage,
  evaluate,
  types,
  docs,
  schema,
  version,
]

/** All commands in the order of the help. */
export const commands: readonly Command[] = [...work, completionOf(work)]
