import type { Assignment } from './assignment.ts'

const NAMES = `acquisitionport activate allow authselectmode bindacqaddress bindacqdevice bindaddress bindcmdaddress bindcmddevice
binddevice broadcast clientloglimit clockprecision cmdallow cmddeny cmdport cmdratelimit combinelimit commandkey confdir
corrtimeratio deny driftfile dscp dumpdir dumponexit fallbackdrift generatecommandkey hwclockfile hwtimestamp hwtstimeout include
initstepslew keyfile leapseclist leapsecmode leapsectz linux_freq_scale linux_hz local lock_all log logbanner logchange logdir
mailonchange makestep manual maxchange maxclockerror maxdistance maxdrift maxjitter maxntsconnections maxsamples maxslewrate
maxtxbuffers maxupdateskew minsamples minsources nocerttimecheck noclientlog nosystemcert ntpsigndsocket ntsaeads ntscachedir
ntsdumpdir ntsntpserver ntsport ntsprocesses ntsratelimit ntsrefresh ntsrotate ntsservercert ntsserverkey ntstrustedcerts opencommands
peer pidfile pool port ptpdomain ptpport ratelimit refclock refresh reselectdist rtcautotrim rtcdevice rtcfile rtconutc rtcsync
sched_priority server smoothtime sourcedir stratumweight tempcomp user`

/** What a line of chrony.conf may begin with, up to chrony 4.8. @see chrony.conf(5) */
const DIRECTIVES: ReadonlySet<string> = new Set(NAMES.split(/[ \n]+/))

const SWITCHES =
  /^(?:dumponexit|generatecommandkey|lock_all|manual|noclientlog|nosystemcert|rtcautotrim|rtconutc|rtcsync|linux_hz)$/

const NAMES_ONE =
  /^(?:bindcmdaddress|driftfile|dumpdir|hwclockfile|include|keyfile|leapsectz|logdir|ntsdumpdir|ntpsigndsocket|pidfile|rtcdevice|rtcfile|user)$/

const INTEGERS = /^(?:acquisitionport|cmdport|dscp|minsources|maxsamples|minsamples|port|sched_priority)$/

const DECIMALS =
  /^(?:combinelimit|corrtimeratio|maxclockerror|maxdistance|maxdrift|maxjitter|maxslewrate|maxupdateskew|stratumweight)$/

const SOURCE =
  /^\S+(?: (?:auto_offline|burst|copy|iburst|ipv[46]|noselect|nts|offline|prefer|require|trust|xleave|(?:asymmetry|certset|extfield|filter|key|max(?:delay(?:quant|ratio|devratio)?|poll|samples|sources|unreach)|min(?:delay|poll|samples|stratum)|ntsport|offset|polltarget|port|presend|version) [+-]?[0-9A-Fa-f.]+(?:[eE][+-]?\d+)?))*$/i

/** The forms of values, by the directives that have them. */
const FORMS: readonly (readonly [names: RegExp, form: RegExp])[] = [
  [/^(?:server|pool|peer)$/, SOURCE],
  [SWITCHES, /^$/],
  [NAMES_ONE, /^[^ ]+$/],
  [INTEGERS, /^[+-]?\d+$/],
  [DECIMALS, /^[+-]?[\d.]+(?:[eE][+-]?\d+)?$/],
]

/** What of a directive chronyd rejects; undefined if it accepts it, or nothing is known of its values. */
export function rejection({ key, value }: Assignment): string | undefined {
  const name = key.toLowerCase()
  if (!DIRECTIVES.has(name)) return `the directive ${key}`
  const [, form = /^/] = FORMS.find(([names]) => names.test(name)) ?? []
  return form.test(value) ? undefined : `${key} ${value}`.trim()
}
