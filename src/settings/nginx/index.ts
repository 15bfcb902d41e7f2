import { withBlanksOfC } from '../blanks.ts'
import { resolve } from 'node:path'
import { defined } from '../../model/defined.ts'
import { didYouMean } from '../../model/suggest.ts'
import { known, type Reading } from '../../model/observation.ts'
import { ANY_KEY, type Assignment, type Block, type KeyName } from '../assignment.ts'
import { anyExists, isThere } from '../reading.ts'
import { stagedCheck } from '../staged-check.ts'
import { type ConfigFiles, type Effective, OWN_HEAD, type Surface, type Writing } from '../surface.ts'
import { VALUES } from '../values.ts'
import { DIRECTIVE_NAMES, directiveNamed, namedIn, normalizedKey } from './directives.ts'
import { nginxFormat } from './format.ts'
import { askNginx, PROGRAM } from './witness.ts'
import { assignmentsOf, MAIN, mainOf, PREFIX, readPlaced } from './read.ts'

const DIRECTORY = '/etc/nginx'
const DROP_INS = `${DIRECTORY}/conf.d`
const OWN_FILE = `${DROP_INS}/zz-driftgate.conf`

export const nginx: Surface = {
  name: 'nginx',
  summary:
    '`/etc/nginx/nginx.conf`, or the file that the unit passes with `-c`, with its includes, block by block. A server inherits the values of `http`, and a location those of its server, unless it sets its own. Directives that accumulate (`nginx:add_header.X-Frame-Options`, `nginx:ssl_conf_command.Protocol`) replace all inherited ones. Each server and location with a different value is separate drift. TLS directives apply only to servers that listen with TLS. A fix changes the line in `http` or writes `conf.d/zz-driftgate.conf`, validates the whole configuration with `nginx -t` first, and reloads nginx.',
  installed: (files) => anyExists(files, [MAIN, PROGRAM]),
  keyOf(text) {
    const key = normalizedKey(text)
    if (directiveNamed(key) !== undefined) return { section: '', key }
    return { problem: `is not a supported directive${didYouMean(text, DIRECTIVE_NAMES)}` }
  },
  rulesOf({ key }) {
    const { order = VALUES, isList, default: builtIn } = directiveNamed(key) ?? {}
    return { order, wins: isList === true ? 'all' : 'last', between: ', ', ...defined({ default: builtIn }) }
  },
  read(files) {
    const placed = readPlaced(files)
    return placed.kind === 'unknown'
      ? placed
      : known(assignmentsOf(placed.value).map((each) => withRealLog(files, each)))
  },
  resolve: resolveBlocks,
  writes,
  witness: askNginx,
  activation: { kind: 'reload', unit: 'nginx.service' },
}

/** A log whose path leads to /dev/null is kept nowhere. */
function withRealLog(files: ConfigFiles, assignment: Assignment): Assignment {
  if (assignment.key !== 'access_log') return assignment
  const [path = ''] = assignment.value.split(' ', 1)
  const real = files.real(resolve(PREFIX, path))
  if (real.kind === 'unknown' || real.value !== '/dev/null') return assignment
  return { ...assignment, value: `/dev/null${assignment.value.slice(path.length)}` }
}

/** The account of the workers; nothing where nginx is not installed, or has the one that it was built with. */
export function readNginxUser(files: ConfigFiles): Reading<readonly string[]> {
  const installed = nginx.installed(files)
  if (installed.kind === 'unknown') return installed
  const placed = installed.value ? readPlaced(files) : known([])
  if (placed.kind === 'unknown') return placed
  return known(placed.value.flatMap(({ name, args }) => (name === 'user' ? args.slice(0, 1) : [])))
}

/** A duplicate directive in one block is an error, so an existing one is changed in place. */
function writes(files: ConfigFiles, key: KeyName): Writing {
  const file = fileOf(files, key)
  const check = checkOf(files, file)
  return { file, format: nginxFormat, ...(file === OWN_FILE ? { head: OWN_HEAD } : {}), ...defined({ check }) }
}

function fileOf(files: ConfigFiles, { key }: KeyName): string {
  const path = mainOf(files)
  if (directiveNamed(key)?.isMain === true) return path
  const placed = readPlaced(files)
  if (placed.kind === 'unknown') return path
  const [own] = assignmentsOf(placed.value).filter(
    (each) => each.key === key && each.block?.kind === 'group' && each.block.isWeb,
  )
  if (own !== undefined) return own.file
  if (path !== MAIN) return path
  const main = files.text(MAIN)
  const isIncluded =
    main.kind === 'known' &&
    withBlanksOfC(/^\s*include\s+(?:\/etc\/nginx\/)?conf\.d\/\*\.conf\s*;/m).test(main.value ?? '')
  return isIncluded && isThere(files, DROP_INS) ? OWN_FILE : MAIN
}

/** Checks the whole configuration with the candidate, in a copy whose includes lead to the copy. */
function checkOf(files: ConfigFiles, file: string): Writing['check'] {
  if (!isThere(files, PROGRAM)) return undefined
  const isMain = file === MAIN
  if (!isMain && !file.startsWith(`${DROP_INS}/`)) return undefined
  const inPlace = isMain
    ? 'main=$1'
    : `main=$2/nginx.conf; rm "$staged/conf.d"; mkdir "$staged/conf.d"
for each in "$2"/conf.d/*; do [ ! -e "$each" ] || ln -s "$each" "$staged/conf.d/"; done
ln -sf "$1" "$staged/conf.d/${file.slice(DROP_INS.length + 1)}"`
  return stagedCheck(
    DIRECTORY,
    `${inPlace}
rm -f "$staged/nginx.conf"; sed "s|$2/|$staged/|g" "$main" >"$staged/nginx.conf"
${PROGRAM} -t -q -c "$staged/nginx.conf"`,
  )
}

/**
 * The effective values of a directive in each server, and in each location that overrides it. A value inherited from
 * `http` is global; if no server inherits it, the first server's value is used instead.
 */
function resolveBlocks(assignments: readonly Assignment[]): readonly [Effective, ...Effective[]] {
  const own = assignments.filter(({ key }) => key !== ANY_KEY)
  const blocks = [...new Set(assignments.flatMap(({ block }) => (block === undefined ? [] : [block])))]
  const [sample] = own
  const rules = sample === undefined ? undefined : directiveNamed(sample.key)
  const root = blocks.find(({ kind }) => kind === 'main')
  if (sample === undefined || rules === undefined || rules.isMain === true)
    return [toEffective(own.filter(({ block }) => block === root))]
  const list = rules.isList === true ? (namedIn(sample.key)?.directive ?? sample.key) : undefined
  const at = (block: Block | undefined): readonly Assignment[] => {
    if (block === undefined) return []
    const here = own.filter((each) => each.block === block)
    if (here.length > 0) return list === undefined ? here.slice(-1) : here
    return list !== undefined && block.lists.has(list) ? [] : at(block.parent)
  }
  const isMeant = (block: Block): boolean => (rules.isTls === true ? block.isTls : block.isWeb)
  const servers = blocks.filter((block) => block.kind === 'server' && isMeant(block))
  const web = blocks.find(({ kind, isWeb }) => kind === 'group' && isWeb)
  const says = (block: Block): boolean =>
    own.some((each) => each.block === block) || (list !== undefined && block.lists.has(list))
  const inherits = servers.filter((block) => !says(block))
  const apart = blocks.filter(
    (block) => isMeant(block) && says(block) && (block.kind === 'server' || block.kind === 'inner'),
  )
  const scoped = apart.map((block) => ({ scope: block.label, standsAlone: true as const, ...toEffective(at(block)) }))
  const groups = [...new Set(inherits.map(({ parent }) => parent))]
  const [shared, ...others] = servers.length === 0 ? [web] : groups
  const [first, ...rest] = [
    ...(servers.length === 0 || inherits.length > 0 ? [toEffective(at(shared))] : []),
    ...others.map((group) => ({ scope: group?.label ?? '', standsAlone: true as const, ...toEffective(at(group)) })),
    ...scoped,
  ]
  return [first ?? toEffective([]), ...rest]
}

function toEffective(winners: readonly Assignment[]): Effective {
  return { winners, losers: [] }
}
