import type { Grammar } from '../grammar.ts'
import { besideCommandLine } from '../matching.ts'
import { list, number, seconds, text, times, word } from '../patterns.ts'
import { judgePs } from '../ps.ts'

const long = (names: string) => names.split(' ').map((name) => `--${name}`)
const endless = 'repeat and never end'

/** Returns why an interval is refused. A single number makes the program repeat without end; two numbers are an interval and a count. */
const repeats = (operands: readonly string[]): string | undefined => {
  const numbers = operands.filter((operand) => number.test(operand))
  const [interval, count] = numbers
  if (interval === undefined) return undefined
  if (count === undefined) return 'An interval without a count never ends; give both.'
  if (numbers.length > 2 || !seconds.test(interval) || !times.test(count)) return 'At most 10 times, at most 5 s apart.'
  return operands.slice(-2).join() === numbers.join() ? undefined : 'The interval and the count come last.'
}
const sampler = (flags: string, values: Record<string, RegExp> = {}): Grammar => ({
  flags,
  values,
  // Other forms of numbers are refused, because these programs also read `1x` and ten digits as numbers.
  rest: /^(?:[A-Za-z]\w*|\d{1,9})$/,
  check: ({ operands }) => repeats(operands),
  denied: { '-o': 'write a file', '-f': 'read another file' },
})

const cpus = /^(?:ALL|\d[\d,-]*)$/
const clock = /^\d\d:\d\d(?::\d\d)?$/

/** Programs that show load: memory, processes and their activity. */
export const loadPrograms: Readonly<Record<string, Grammar>> = {
  free: {
    flags: 'bkmghtwlv',
    words: long('bytes kilo mega giga kibi mebi gibi human total wide lohi si'),
    denied: { '-s': endless, '--seconds': endless },
  },
  uptime: { flags: 'ps', words: long('pretty since') },
  top: {
    flags: 'bcHiS1',
    values: {
      '-n': times,
      '-d': seconds,
      '-o': /^[+-]?[%A-Za-z]+$/,
      '-p': /^\d[\d,]*$/,
      '-u': word,
      '-U': word,
      '-E': /^[kmgtpe]$/,
      '-e': /^[kmgtp]$/,
    },
    optional: { '-w': /^\d{1,3}$/ },
    needs: [['-b'], ['-n']],
    check: ({ options, values }) =>
      options.has('-c') && values.has('-w') && values.get('-w') !== '512'
        ? 'With -c, only -w 512 shows command lines uncut.'
        : undefined,
  },
  ps: { judge: judgePs },
  pgrep: {
    flags: 'alfxnoci',
    values: { '-u': word, '-U': word, '-P': number, '-d': text },
    operands: [text],
    check: ({ options, operands }) =>
      options.has('-f') && (operands.length === 0 || [...options].some((option) => !besideCommandLine.test(option)))
        ? 'With -f, only -a, -l, -c, -i, -x and a pattern are known to show no secret.'
        : undefined,
  },
  ipcs: { flags: 'amqstplu' },
  lslocks: { flags: 'urn', values: { '-o': list, '-p': number } },
  pidof: { flags: 's', rest: word, min: 1 },
  pstree: {
    flags: 'palunscAthT',
    operands: [word],
    check: ({ options }) =>
      options.has('-a') && !options.has('-l') ? 'With -a, only -l shows command lines uncut.' : undefined,
  },
  zramctl: { words: ['--output-all', '--bytes', '--raw'] },
  vmstat: sampler('sdamwtnDf', { '-S': /^[kKmM]$/, '-p': word }),
  // A device name must follow -p, because iostat reads a number there as an interval.
  iostat: sampler('xdkmchtyzNs', { '-p': /^[A-Za-z][\w/,]*$/ }),
  mpstat: sampler('uAn', { '-P': cpus, '-I': /^(?:SUM|CPU|SCPU|ALL)$/ }),
  sar: sampler('urqbBdSWvwyAhpzHF', {
    '-n': /^[A-Z][A-Z\d,]*$/,
    '-P': cpus,
    '-I': /^(?:SUM|ALL|\d+)$/,
    '-m': /^[A-Z,]+$/,
    '-s': clock,
    '-e': clock,
  }),
  pidstat: {
    ...sampler('udrwhlstHRv', { '-p': /^(?:ALL|SELF|\d[\d,]*)$/, '-C': word, '-T': /^(?:TASK|CHILD|ALL)$/ }),
    denied: { '-e': 'run programs' },
  },
  iotop: { flags: 'boPakqt', values: { '-n': times, '-d': seconds }, needs: [['-b'], ['-n']] },
  slabtop: { words: ['-o', '--once'], values: { '-s': /^[a-z]$/ }, needs: [['-o', '--once']] },
  numastat: { flags: 'mnscz', values: { '-p': word } },
  numactl: { words: ['-H', '--hardware', '-s', '--show'], needs: [['-H', '--hardware', '-s', '--show']] },
}
