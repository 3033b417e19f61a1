import { judgeCommand } from 'ssh-grammar/judge-command'
import { expect, test } from 'vitest'
import { houseTools } from '../../tools/house.ts'
import { catalogueOf, mostTokens, tokensOf } from '../catalogue.ts'
import { parseSkill } from '../front.ts'
import { hiddenIn } from '../hidden.ts'
import { shippedSkills } from './index.ts'

const all = [...shippedSkills].map(([name, text]) => ({ name, text, ...parseSkill(text, name) }))
const toolNames = new Set(houseTools.map(({ name }) => name))

test.each(all)('$name has no fault and is short', ({ text, body, faults }) => {
  expect(faults).toEqual([])
  expect(hiddenIn(text)).toEqual([])
  expect(text.split('\n').length).toBeLessThan(500)
  expect(tokensOf(body)).toBeLessThan(5_000)
})

test.each(all)('$name names tools that there are', ({ body }) => {
  const spoken = [...body.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name = '']) => name)
  expect(spoken.length).toBeGreaterThan(3)
  expect(spoken.filter((name) => !toolNames.has(name))).toEqual([])
})

test('the catalogue has room for the shipped ones and as many again', () => {
  expect(catalogueOf(all.map(({ name, front }) => ({ name, description: front.description }))).tokens).toBeLessThan(
    mostTokens / 2,
  )
})

/** The commands that they tell to run over SSH. Other words in backquotes are for a person, and the text says so. */
const commands = [
  'zpool status -P',
  'lsblk -o NAME,SIZE,TYPE,MODEL,SERIAL,FSTYPE',
  'top -bn1',
  'ps aux --sort=-%cpu',
  'cat /proc/pressure/cpu',
  'cat /proc/pressure/io',
  'cat /proc/spl/kstat/zfs/arcstats | grep -E "^(size|c_max)"',
  'iostat -x 2 3',
  'ip -s link',
  'df -h',
  'df -i',
  'du -xh --max-depth=2 /var | sort -rh | head -30',
  'journalctl --disk-usage',
  'ls -la /var/lib/vz/dump',
  'findmnt',
  'lsof +L1',
  'zfs list -o name,used,avail,refer,usedbysnapshots -s used',
  'zfs list -t snapshot -o name,used,creation -s creation',
  'lvs -a -o lv_name,lv_size,data_percent,metadata_percent,pool_lv',
  'ip -br addr',
  'ip route',
  'bridge vlan show',
  'pvecm status',
  'apt-cache policy pve-manager',
  'ls /etc/apt/sources.list.d',
]

test.each(commands)('%s stands in a skill and runs at once', (command) => {
  expect(all.some(({ body }) => body.includes(`\`${command}\``))).toBe(true)
  expect(judgeCommand(command).verdict).toBe('read_only')
})
