import { withBlanksOfC, wordsOf } from './blanks.ts'

type Counts = readonly [least: number, most: number]

const NONE: Counts = [0, 0]
const ONE: Counts = [1, 1]
const SOME: Counts = [1, 99]
const ANY: Counts = [0, 99]

/** The directives of chrony 4 with the least and the most arguments that chronyd accepts. @see conf.c of chrony */
const ARGUMENTS: ReadonlyMap<string, Counts> = new Map([
  ...named(
    `acquisitionport authselectmode bindacqaddress bindacqdevice bindaddress bindcmdaddress bindcmddevice binddevice
    clientloglimit clockprecision cmdport combinelimit corrtimeratio dscp dumpdir hwclockfile hwtstimeout include keyfile
    leapsecmode leapseclist leapsectz logbanner logchange logdir maxclockerror maxdistance maxdrift maxjitter
    maxntsconnections maxsamples maxslewrate maxupdateskew minsamples minsources nocerttimecheck ntpsigndsocket ntscachedir
    ntsdumpdir ntsntpserver ntsport ntsprocesses ntsrefresh ntsrotate ntsservercert ntsserverkey pidfile port ptpdomain
    ptpport refresh reselectdist rtcautotrim rtcdevice rtcfile sched_priority stratumweight user`,
    ONE,
  ),
  ...named('dumponexit lock_all manual noclientlog nosystemcert rtconutc rtcsync', NONE),
  ...named('confdir hwtimestamp initstepslew ntsaeads opencommands peer pool server', SOME),
  ...named(
    `allow cmdallow cmddeny cmdratelimit commandkey deny generatecommandkey linux_freq_scale linux_hz local log ntsratelimit
    ratelimit sourcedir`,
    ANY,
  ),
  ...named('fallbackdrift mailonchange makestep', [2, 2]),
  ...named('maxchange', [3, 3]),
  ...named('broadcast smoothtime', [2, 3]),
  ...named('ntstrustedcerts', [1, 2]),
  ...named('driftfile', [1, 3]),
  ...named('refclock', [2, 99]),
  ...named('tempcomp', [3, 6]),
])

function named(names: string, counts: Counts): readonly (readonly [string, Counts])[] {
  return wordsOf(names).map((name) => [name, counts] as const)
}

const NUMERIC: ReadonlySet<string> = new Set(
  wordsOf(`acquisitionport clientloglimit clockprecision cmdport combinelimit corrtimeratio dscp fallbackdrift hwtstimeout logchange
  makestep maxchange maxclockerror maxdistance maxdrift maxjitter maxntsconnections maxsamples maxslewrate maxupdateskew
  minsamples minsources ntsport ntsprocesses ntsrefresh ntsrotate port ptpport reselectdist rtcautotrim sched_priority
  stratumweight`),
)

/** Options of a source without a value, and those with a number. @see CPS_ParseNTPSourceAdd of chrony */
const FLAGS: ReadonlySet<string> = new Set(
  'auto_offline burst copy iburst ipv4 ipv6 noselect nts offline prefer require trust xleave'.split(' '),
)
const VALUED: ReadonlySet<string> = new Set(
  wordsOf(`asymmetry certset extfield filter key maxdelay maxdelaydevratio maxdelayquant maxdelayratio maxpoll maxsamples maxsources
  maxunreach mindelay minpoll minsamples minstratum ntsport offset polltarget port presend version`),
)

const NUMBER_FORM = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?`
const ADDRESS = String.raw`(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f:.]*:[\da-f:.]*)`
const RATES = `(?:(?:(?:^| )(?:interval|burst|leak) ${NUMBER_FORM})*)`

/** What the arguments of a directive look like. @see conf.c of chrony */
const FORMS: ReadonlyMap<string, RegExp> = new Map([
  ...formed('allow cmdallow cmddeny deny', String.raw`(?:all(?: |$))?\S*`),
  ...formed('authselectmode', 'require|prefer|mix|ignore'),
  ...formed('bindaddress bindacqaddress', ADDRESS),
  ...formed('bindcmdaddress', `${ADDRESS}|/.*`),
  ...formed('broadcast', `${NUMBER_FORM} ${ADDRESS}(?: ${NUMBER_FORM})?`),
  ...formed('cmdratelimit ntsratelimit ratelimit', RATES),
  ...formed('driftfile', String.raw`\S+(?: interval ${NUMBER_FORM})?`),
  ...formed('initstepslew', String.raw`${NUMBER_FORM}(?: \S+)*`),
  ...formed('leapsecmode', 'system|step|slew|ignore'),
  ...formed(
    'local',
    `(?:(?:^| )(?:orphan|stratum 0*(?:[1-9]|1[0-5])|(?:distance|activate|waitsynced|waitunsynced) ${NUMBER_FORM}))*`,
  ),
  ...formed('mailonchange', String.raw`\S+ ${NUMBER_FORM}`),
  ...formed('ntstrustedcerts', String.raw`(?:\d+ )?\S+`),
  ...formed('nocerttimecheck', NUMBER_FORM),
  ...formed('smoothtime', String.raw`${NUMBER_FORM} ${NUMBER_FORM}(?: leaponly)?`),
  ...formed('tempcomp', String.raw`\S+ ${NUMBER_FORM} (?:\S+|${NUMBER_FORM}(?: ${NUMBER_FORM}){3})`),
])

const LOGS = /^(?:measurements|rawmeasurements|refclocks|rtc|selection|statistics|tempcomp|tracking)$/

function formed(names: string, form: string): readonly (readonly [string, RegExp])[] {
  return wordsOf(names).map((name) => [name, withBlanksOfC(new RegExp(`^(?:${form})$`, 'i'))] as const)
}

const NUMBER = new RegExp(`^${NUMBER_FORM}$`, 'i')

/** Why chronyd does not start with a line; undefined if it does. */
export function whyRefused(directive: string, value: string): string | undefined {
  const name = directive.toLowerCase()
  const words = value === '' ? [] : value.split(' ')
  const counts = ARGUMENTS.get(name)
  if (counts === undefined) return `unknown directive ${directive}`
  if (words.length < counts[0]) return `${directive} has too few arguments`
  if (words.length > counts[1]) return `${directive} has too many arguments`
  if (NUMERIC.has(name) && !words.every((word) => NUMBER.test(word))) return `${directive} ${value} is not a number`
  if (FORMS.get(name)?.test(words.join(' ')) === false || (name === 'log' && !words.every((word) => LOGS.test(word))))
    return `${directive} ${value} is not valid`
  return isSource(name) ? whyOption(words.slice(1)) : undefined
}

export function isSource(directive: string): boolean {
  return /^(?:server|pool|peer)$/i.test(directive)
}

function whyOption([option, value, ...others]: readonly string[]): string | undefined {
  if (option === undefined) return undefined
  const name = option.toLowerCase()
  if (FLAGS.has(name)) return whyOption([...(value === undefined ? [] : [value]), ...others])
  if (!VALUED.has(name)) return `unknown option ${option}`
  const isValid = value !== undefined && (name === 'extfield' ? /^[0-9a-f]+$/i : NUMBER).test(value)
  return isValid ? whyOption(others) : `option ${option} has no valid value`
}
