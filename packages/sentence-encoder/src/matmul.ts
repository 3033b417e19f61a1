/**
 * WebAssembly memory. This module multiplies matrices of 32-bit floats, four rows and eight columns at a time, with WebAssembly's vector
 * instructions: about twenty times as fast as the same loops in JavaScript. The code is small enough to be written here instruction by instruction.
 */
export type Memory = { readonly buffer: ArrayBuffer }
/**
 * Computes c = a · b for `rows` rows, rounded up to a multiple of 4: a and c must have room for these rows. All addresses are in bytes.
 * @param b in panels, as `pack` writes it. @param aStride, cStride bytes from one row to the next.
 */
// biome-ignore lint/complexity/useMaxParams: the numbers are the parameters of the WebAssembly function
export type Matmul = (
  a: number,
  aStride: number,
  rows: number,
  inner: number,
  b: number,
  panels: number,
  c: number,
  cStride: number,
) => void

export const panelWidth = 8

/** The shape of a matrix in memory. */
type Shape = {
  rows: number
  columns: number
  /** Distance between two rows, in values; absent: `columns`. */
  rowStep?: number
  /** Distance between two columns, in values; absent: 1. */
  columnStep?: number
}

/**
 * Copies a matrix into panels of eight columns, row after row, so that values are stored in the order in which they are read. The last panel is
 * filled with zeros.
 */
export function pack(from: Float32Array, into: Float32Array, shape: Shape): void {
  const { rows, columns, rowStep = columns, columnStep = 1 } = shape
  for (let panel = 0, at = 0; panel < columns; panel += panelWidth) {
    for (let row = 0; row < rows; row += 1) {
      for (let column = panel; column < panel + panelWidth; column += 1, at += 1) {
        into[at] = column < columns ? (from[row * rowStep + column * columnStep] as number) : 0
      }
    }
  }
}

const rowsAtOnce = 4
const floatBytes = 4
const pageBytes = 65_536
const vectorBytes = 16
const panelBytes = panelWidth * floatBytes

type Code = readonly number[]
// Numbers of the parameters and locals, in the order of their declarations below.
const [a, aStride, rowBlocks, inner, b, panels, c, cStride] = [0, 1, 2, 3, 4, 5, 6, 7]
const [blocksLeft, innerLeft, blockOfA, panelAt, cAt] = [8, 9, 10, 11, 12]
const rowOfA = [13, 14, 15, 16]
const sums = [17, 18, 19, 20, 21, 22, 23, 24]
const [left, right, factor] = [25, 26, 27]

const get = (local: number): Code => [0x20, local]
const set = (local: number): Code => [0x21, local]
const constant = (value: number): Code => [0x41, value]
const add: Code = [0x6a]
const times: Code = [0x6c]
const vector = (...code: Code): Code => [0xfd, ...code]
/** A memory operand: aligned to 2 ** `align`, at a fixed offset from the address. */
const at = (align: number, offset: number): Code => [align, offset]
const loadVector = (offset: number) => vector(0x00, ...at(4, offset))
const loadSplat = vector(0x09, ...at(2, 0))
const storeVector = (offset: number) => vector(0x0b, ...at(4, offset))
const zero = vector(0x0c, ...Array.from({ length: vectorBytes }, () => 0))
const addVector = vector(0xe4, 0x01)
const timesVector = vector(0xe6, 0x01)
const advance = (local: number, by: Code): Code => [...get(local), ...by, ...add, ...set(local)]
/** Runs `body` as often as `counter` says, at least once. */
const loop = (counter: number, body: Code): Code => {
  const minusOne: Code = [0x41, 0x7f]
  return [0x03, 0x40, ...body, ...get(counter), ...minusOne, ...add, 0x22, counter, 0x0d, 0, 0x0b]
}

const oneStep: Code = [
  ...get(panelAt),
  ...loadVector(0),
  ...set(left),
  ...get(panelAt),
  ...loadVector(vectorBytes),
  ...set(right),
  ...advance(panelAt, constant(panelBytes)),
  ...rowOfA.flatMap((row, number) => [
    ...get(row),
    ...loadSplat,
    ...set(factor),
    ...advance(row, constant(floatBytes)),
    ...[left, right].flatMap((half, side) => {
      const sum = sums[number * 2 + side] as number
      return [...get(sum), ...get(factor), ...get(half), ...timesVector, ...addVector, ...set(sum)]
    }),
  ]),
]

const oneBlock: Code = [
  ...sums.flatMap((sum) => [...zero, ...set(sum)]),
  ...rowOfA.flatMap((row) => [...get(blockOfA), ...set(row), ...advance(blockOfA, get(aStride))]),
  ...get(b),
  ...set(panelAt),
  ...get(inner),
  ...set(innerLeft),
  ...loop(innerLeft, oneStep),
  ...rowOfA.flatMap((_, number) => [
    ...get(cAt),
    ...get(sums[number * 2] as number),
    ...storeVector(0),
    ...get(cAt),
    ...get(sums[number * 2 + 1] as number),
    ...storeVector(vectorBytes),
    ...advance(cAt, get(cStride)),
  ]),
]

const onePanel: Code = [
  ...get(a),
  ...set(blockOfA),
  ...get(c),
  ...set(cAt),
  ...get(rowBlocks),
  ...set(blocksLeft),
  ...loop(blocksLeft, oneBlock),
  ...advance(b, [...get(inner), ...constant(panelBytes), ...times]),
  ...advance(c, constant(panelBytes)),
]

function sized(code: Code): Code {
  const size: number[] = []
  for (let rest = code.length; ; rest >>>= 7) {
    if (rest < 0x80) return [...size, rest, ...code]
    size.push((rest & 0x7f) | 0x80)
  }
}
const section = (id: number, content: Code): Code => [id, ...sized(content)]
const text = (value: string): Code => sized([...Buffer.from(value)])
const [int32, vector128] = [0x7f, 0x7b]
const body: Code = [2, 9, int32, 11, vector128, ...loop(panels, onePanel), 0x0b]
const module = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, [1, 0x60, 8, ...Array.from({ length: 8 }, () => int32), 0]),
  ...section(2, [1, ...text('js'), ...text('memory'), 0x02, 0x00, 1]),
  ...section(3, [1, 0]),
  ...section(7, [1, ...text('multiply'), 0x00, 0]),
  ...section(10, [1, ...sized(body)]),
])

/** Members of WebAssembly that Node's types lack. */
type Machine = {
  Memory: new (size: { initial: number }) => Memory
  Module: new (code: Uint8Array) => object
  Instance: new (module: object, imports: { js: { memory: Memory } }) => { exports: { multiply: Matmul } }
}
const machine = (globalThis as unknown as { WebAssembly: Machine }).WebAssembly

/** Allocates memory for matrices, at least `bytes` bytes. */
export const newMemory = (bytes: number): Memory => new machine.Memory({ initial: Math.ceil(bytes / pageBytes) })

/** @throws CompileError if the machine has no vector instructions for WebAssembly. */
export function createMatmul(memory: Memory): Matmul {
  const { exports } = new machine.Instance(new machine.Module(module), { js: { memory } })
  // biome-ignore lint/complexity/useMaxParams: called for each layer and sentence, without an object for each call
  return (a, aStride, rows, inner, b, panels, c, cStride) =>
    exports.multiply(a, aStride, Math.ceil(rows / rowsAtOnce), inner, b, panels, c, cStride)
}
