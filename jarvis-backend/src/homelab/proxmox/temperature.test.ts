import type { CommandOutput, Shell } from 'homelab-ports/ports'
import { expect, test } from 'vitest'
import { parseSensors, readTemperature } from './temperature.ts'

const json = (chips: Record<string, Record<string, Record<string, number>>>) => JSON.stringify(chips)

test.each<[string, string, [string, number] | undefined]>([
  [
    'Intel: the package before its cores and disks',
    json({
      'nvme-pci-0100': { Composite: { temp1_input: 61.85 } },
      'coretemp-isa-0000': { 'Package id 0': { temp1_input: 54, temp1_max: 100 }, 'Core 0': { temp2_input: 70 } },
    }),
    ['Package id 0', 54],
  ],
  [
    'two sockets: the hotter',
    json({
      'coretemp-isa-0000': { 'Package id 0': { temp1_input: 50 } },
      'coretemp-isa-0001': { 'Package id 1': { temp1_input: 58 } },
    }),
    ['Package id 1', 58],
  ],
  ['AMD: Tctl', json({ 'k10temp-pci-00c3': { Tctl: { temp1_input: 48.625 } } }), ['Tctl', 48.6]],
  [
    'AMD: Tdie, which has no offset, before Tctl',
    json({ 'k10temp-pci-00c3': { Tctl: { temp1_input: 77 }, Tdie: { temp2_input: 50 } } }),
    ['Tdie', 50],
  ],
  [
    'a disk where there is nothing else',
    json({ 'nvme-pci-0100': { Composite: { temp1_input: 38 } } }),
    ['Composite', 38],
  ],
  [
    'another sensor where none is known by name: the hottest',
    json({ 'acpitz-acpi-0': { temp1: { temp1_input: 27.8 }, temp2: { temp2_input: 29.8 } } }),
    ['temp2', 29.8],
  ],
  [
    'nonsense is left out',
    json({
      'nct6798-isa-0290': {
        'Package id 0': { temp1_input: -62 },
        SYSTIN: { temp2_input: 36 },
        AUX: { temp3_input: 127.5 },
      },
    }),
    ['SYSTIN', 36],
  ],
  [
    'limits and fans are no temperatures',
    json({ chip: { fan1: { fan1_input: 50 }, temp1: { temp1_crit: 90 } } }),
    undefined,
  ],
  ['a warning before the object', `WARNING: something\n${json({ c: { Tctl: { temp1_input: 40 } } })}`, ['Tctl', 40]],
  [
    'a number that JSON has not, and a comma too many',
    '{"c":{"Tctl":{"temp1_input": 41.0,"temp1_max": nan,}}}',
    ['Tctl', 41],
  ],
  ['nothing at all', '', undefined],
  ['no JSON', 'k10temp-pci-00c3\nTctl: +48.6°C', undefined],
  ['an empty object', '{}', undefined],
])('sensors -j: %s', (_what, text, expected) => {
  const found = parseSensors(text)
  expect(found && [found.sensor, found.celsius]).toEqual(expected)
  if (found !== undefined) expect(found.all).toContainEqual({ sensor: found.sensor, celsius: found.celsius })
})

test('two sensors of one name are told apart', () => {
  const text = json({
    'nvme-pci-0100': { Composite: { temp1_input: 38 } },
    'nvme-pci-0200': { Composite: { temp1_input: 41 } },
  })
  expect(parseSensors(text)?.all.map(({ sensor }) => sensor)).toEqual(['Composite', 'Composite (nvme-pci-0200)'])
})

const ended = (stdout: string, exitCode = 0, stderr = ''): CommandOutput => ({
  stdout,
  stderr,
  exitCode,
  truncated: false,
})
const shellOf = (answers: Record<string, CommandOutput>): Shell => ({
  run: async (_node, [argv = []]) => answers[argv[0] ?? ''] ?? ended('', 127, 'command not found'),
})
const options = { signal: new AbortController().signal }

test('what sensors printed counts, though it warned and failed', async () => {
  const shell = shellOf({ sensors: ended(json({ c: { Tctl: { temp1_input: 44 } } }), 1, 'ERROR: Can’t get value') })
  expect(await readTemperature(shell, 'pve', options)).toMatchObject({ sensor: 'Tctl', celsius: 44 })
})

test('without sensors the kernel’s thermal zone is read, in thousandths', async () => {
  const shell = shellOf({ cat: ended('47350\n') })
  expect(await readTemperature(shell, 'pve', options)).toEqual({
    sensor: 'thermal_zone0',
    celsius: 47.4,
    all: [{ sensor: 'thermal_zone0', celsius: 47.4 }],
  })
})

test.each([ended(''), ended('-62000\n'), ended('', 1, 'No such file or directory')])(
  'a node without any says so: %j',
  async (zone) => {
    await expect(readTemperature(shellOf({ cat: zone }), 'pve', options)).rejects.toMatchObject({ code: 'not_found' })
  },
)
