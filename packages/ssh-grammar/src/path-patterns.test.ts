import { expect, test } from 'vitest'
import { judgeCommand, withPaths } from './judge-command.ts'

test.each([
  'ls /var/log/*.log',
  'ls -lh /var/lib/vz/dump/*.zst',
  'tail -n 5 /var/log/*.log /var/log/apt/*',
  'grep -i error /var/log/*.log | tail',
  'du -sh /var/*',
  'cat /sys/class/hwmon/hwmon?/temp1_input',
  'grep onboot /etc/pve/nodes/*/qemu-server/*.conf',
])('%s reads only, and quoted it is no pattern', (command) => {
  const judged = judgeCommand(command)
  expect(judged).toMatchObject({ verdict: 'read_only', patterns: expect.any(Array) })
  expect(judgeCommand(command.replace(/(\/[^ ]*[*?][^ ]*)/g, "'$1'"))).not.toHaveProperty('patterns')
})

test('of the paths that a pattern stands for, those with secrets are left out', () => {
  const judged = judgeCommand('ls -l /opt/app/* /etc/x.conf')
  if (judged.verdict !== 'read_only' || judged.patterns === undefined) throw new Error('refused')
  const found = ['/opt/app/app.conf', '/opt/app/id_rsa', '/opt/app/secrets', '/opt/app/-l', '/opt/app/a b']
  expect(withPaths(judged.stages, judged.patterns, () => found)).toEqual({
    stages: [['ls', '-l', '/opt/app/app.conf', '/opt/app/-l', '/opt/app/a b', '/etc/x.conf']],
    isPart: true,
  })
  expect(withPaths(judged.stages, judged.patterns, () => ['/opt/app/id_rsa'])).toBe(
    '/opt/app/* stands for nothing that may be read.',
  )
})
