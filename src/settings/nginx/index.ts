import { defined } from '../../model/defined.ts'
import { didYouMean } from '../../model/suggest.ts'
import { known } from '../../model/observation.ts'
import type { KeyName } from '../assignment.ts'
import { anyExists, isThere } from '../reading.ts'
import { stagedCheck } from '../staged-check.ts'
import { type ConfigFiles, OWN_HEAD, type Surface, type Writing } from '../surface.ts'
import { VALUES } from '../values.ts'
import { DIRECTIVE_NAMES, directiveNamed, normalizedKey } from './directives.ts'
import { nginxFormat } from './format.ts'
import { assignmentsOf, MAIN, readPlaced } from './read.ts'
import { resolveBlocks } from './resolve.ts'

const DIRECTORY = '/etc/nginx'
const DROP_INS = `${DIRECTORY}/conf.d`
const OWN_FILE = `${DROP_INS}/zz-driftgate.conf`
const PROGRAM = '/usr/sbin/nginx'

/** The nginx web server. */
export const nginx: Surface = {
  name: 'nginx',
  summary:
    '`/etc/nginx/nginx.conf` with what it includes, block by block: a server has what `http` says where it says nothing, a location what its server says, and lines that add up (`nginx:add_header.X-Frame-Options`, `nginx:ssl_conf_command.Protocol`) replace all that would be inherited. Each server and location that says something else is a difference of its own; directives about TLS are about servers that listen with it. A fix changes the line within `http`, or writes `conf.d/zz-driftgate.conf`, has `nginx -t` read all of it before, and reloads.',
  installed: (files) => anyExists(files, [MAIN, PROGRAM]),
  keyOf(text) {
    const key = normalizedKey(text)
    if (directiveNamed(key) !== undefined) return { section: '', key }
    return { problem: `is no directive whose inheritance is known${didYouMean(text, DIRECTIVE_NAMES)}` }
  },
  rulesOf({ key }) {
    const { order = VALUES, isList, default: builtIn } = directiveNamed(key) ?? {}
    return { order, wins: isList === true ? 'all' : 'last', between: ', ', ...defined({ default: builtIn }) }
  },
  read(files) {
    const placed = readPlaced(files)
    return placed.kind === 'unknown' ? placed : known(assignmentsOf(placed.value))
  },
  resolve: resolveBlocks,
  writes,
  activation: { kind: 'reload', unit: 'nginx.service' },
}

/** A duplicate directive in one block is an error, so an existing one is changed in place. */
function writes(files: ConfigFiles, key: KeyName): Writing {
  const file = fileOf(files, key)
  const check = checkOf(files, file)
  return { file, format: nginxFormat, ...(file === OWN_FILE ? { head: OWN_HEAD } : {}), ...defined({ check }) }
}

function fileOf(files: ConfigFiles, { key }: KeyName): string {
  if (directiveNamed(key)?.isMain === true) return MAIN
  const placed = readPlaced(files)
  if (placed.kind === 'unknown') return MAIN
  const [own] = assignmentsOf(placed.value).filter(
    (each) => each.key === key && each.block?.kind === 'group' && each.block.isWeb,
  )
  if (own !== undefined) return own.file
  const main = files.text(MAIN)
  const isIncluded =
    main.kind === 'known' && /^\s*include\s+(?:\/etc\/nginx\/)?conf\.d\/\*\.conf\s*;/m.test(main.value ?? '')
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
