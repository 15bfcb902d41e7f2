import { expect, test } from 'vitest'
import { auditd } from '../../../src/subjects/auditd/settings.ts'
import { effectiveOn, valueOn } from '../../support/surface-oracle.ts'

const FILE = '/etc/audit/auditd.conf'

// Lines with which auditd 3.0.9 exits, and what it says.
test.each([
  ['max_log_file=8', 'auditd rejects this line'],
  ['max_log_file\t=\t8', 'auditd rejects this line'],
  ['max_log_file =', 'auditd rejects this line'],
  ['max_log_file = 8\r', 'auditd rejects max_log_file = 8'],
  ['max_log_file = 8 # MiB', 'auditd rejects max_log_file = 8 # MiB'],
  ['max_log_file = 0x8', 'auditd rejects max_log_file = 0x8'],
  ['max_log_file_action = keep', 'auditd rejects max_log_file_action = keep'],
  ['disk_full_action = email', 'auditd rejects disk_full_action = email'],
  ['max_log_files = 8', 'auditd rejects max_log_files = 8'],
  ['space_left = 50\nadmin_space_left = 50', 'space_left is not larger than admin_space_left'],
])('auditd does not start with %j', (text, expected) => {
  const told = effectiveOn(auditd, { [FILE]: `max_log_file_action = keep_logs\n${text}\n` }, 'max_log_file_action')
  expect(told).toMatch(/^\/etc\/audit\/auditd\.conf:2: /)
  expect(told).toContain(expected)
  expect(told).toMatch(/does not start$/)
})

test.each([
  ['  max_log_file   =   8  ', 'max_log_file', '8'],
  ['MAX_LOG_FILE = 8', 'max_log_file', '8'],
  ['max_log_file_action = Keep_Logs', 'max_log_file_action', 'Keep_Logs'],
  ['space_left = 25%\nadmin_space_left = 50%', 'space_left', '25%'],
  ['space_left_action = exec /usr/local/sbin/alert', 'space_left_action', 'exec /usr/local/sbin/alert'],
  ['# max_log_file=8', 'max_log_file', undefined],
])('auditd starts with %j', (text, key, expected) => {
  expect(valueOn(auditd, { [FILE]: `${text}\n` }, key)).toBe(expected)
})
