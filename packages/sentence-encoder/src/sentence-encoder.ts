import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMatmul, pack, panelWidth } from './matmul.ts'
import { createPieces } from './pieces.ts'
import { type Dense, type Layer, type Norm, readWeights } from './weights.ts'

/** Turns a text into a vector of length 1 and `dimensions` numbers; all zeros for an empty text. */
export type SentenceEncoder = (text: string) => Float32Array

/** How many numbers a vector has. */
export const dimensions = 512
/** Equal ids: vectors can be compared. Counted up when the same text gets another vector. */
export const encoderId = 'universal-sentence-encoder-lite-en-2'
/** The model was made for texts of so many pieces, and reads no further: a longer one is the mean of its parts. */
const mostPieces = 128
const heads = 4
const innerWidth = 1536
const epsilon = 1e-6
const floatBytes = 4

/**
 * The light English Universal Sentence Encoder (Cer and others, 2018): two transformer layers, a mean, one dense layer.
 * Computed here over its published weights, in 40 MB and twice as fast as in TensorFlow.js, which takes 170.
 * @param folder the model's: `model.json`, the weights it names, `vocab.json`. @throws Error where it is not that model.
 */
export function openSentenceEncoder(folder: string): SentenceEncoder {
  const cut = createPieces(JSON.parse(readFileSync(join(folder, 'vocab.json'), 'utf8')) as [string, number][])
  const sizes = [dimensions, dimensions, dimensions, innerWidth, mostPieces, mostPieces].map(
    (width) => width * mostPieces,
  )
  const roomBytes = sizes.reduce((sum, size) => sum + size * floatBytes, 0)
  const { memory, end, readPiece, turns, layers, widenInput, last } = readWeights(folder, roomBytes)
  const multiply = createMatmul(memory)
  let place = end
  const [x, y, normed, wide, scores, panels] = sizes.map((size) => {
    const room = new Float32Array(memory.buffer, place, size)
    place += size * floatBytes
    return room
  }) as [Float32Array, Float32Array, Float32Array, Float32Array, Float32Array, Float32Array]

  function product(from: Float32Array, { place, inner, columns, bias }: Dense, rows: number, into: Float32Array) {
    const [fromStride, intoStride] = [inner * floatBytes, columns * floatBytes]
    multiply(from.byteOffset, fromStride, rows, inner, place, columns / panelWidth, into.byteOffset, intoStride)
    for (let row = 0, at = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1, at += 1) {
        into[at] = (into[at] as number) + (bias[column] as number)
      }
    }
  }

  /** Reads `wide`, queries, keys and values of each row beside each other; writes to `normed`. */
  function attend(rows: number, width: number) {
    const headWidth = width / heads
    const stride = width * 3
    const keys = Math.ceil(rows / panelWidth) * panelWidth
    const scale = 1 / Math.sqrt(headWidth)
    for (let at = 0; at < width; at += headWidth) {
      const query = wide.byteOffset + at * floatBytes
      pack(wide.subarray(width + at), headWidth, rows, panels, 1, stride)
      multiply(
        query,
        stride * floatBytes,
        rows,
        headWidth,
        panels.byteOffset,
        keys / panelWidth,
        scores.byteOffset,
        keys * floatBytes,
      )
      for (let row = 0; row < rows; row += 1) softmax(scores.subarray(row * keys, row * keys + rows), scale)
      pack(wide.subarray(2 * width + at), rows, headWidth, panels, stride)
      multiply(
        scores.byteOffset,
        keys * floatBytes,
        rows,
        rows,
        panels.byteOffset,
        headWidth / panelWidth,
        normed.byteOffset + at * floatBytes,
        width * floatBytes,
      )
    }
  }

  /** Takes `x`, of the layer's width, to `x`, of the model's. */
  function pass(layer: Layer, rows: number) {
    normalise(x, layer.before, rows, normed)
    product(normed, layer.attention, rows, wide)
    attend(rows, layer.width)
    product(normed, layer.output, rows, y)
    if (layer.width === dimensions) add(x, y, rows * dimensions)
    else {
      product(x, widenInput, rows, normed)
      for (let at = 0; at < rows * dimensions; at += 1) x[at] = (normed[at] as number) + (y[at] as number)
    }
    normalise(x, layer.beforeInner, rows, normed)
    product(normed, layer.widen, rows, wide)
    for (let at = 0; at < rows * innerWidth; at += 1) if ((wide[at] as number) < 0) wide[at] = 0
    product(wide, layer.narrow, rows, y)
    add(x, y, rows * dimensions)
  }

  function encode(numbers: readonly number[]): Float32Array {
    const width = turns.length * 2
    numbers.forEach((number, row) => {
      const piece = x.subarray(row * width, (row + 1) * width)
      readPiece(number, piece)
      for (let column = 0; column < width; column += 1) {
        const turn = row * (turns[column % turns.length] as number)
        const timing = column < turns.length ? Math.sin(turn) : Math.cos(turn)
        // Twice the piece: the model was trained with its place added to a sum that has the piece already.
        piece[column] = 2 * (piece[column] as number) + timing
      }
    })
    for (const layer of layers) pass(layer, numbers.length)
    for (let column = 0; column < dimensions; column += 1) {
      let sum = 0
      for (let row = 0; row < numbers.length; row += 1) sum += x[row * dimensions + column] as number
      normed[column] = sum / numbers.length
    }
    product(normed, last, 1, y)
    return unit(Float32Array.from(y.subarray(0, dimensions), Math.tanh))
  }

  return (text) => {
    const numbers = cut(text)
    const parts = Math.ceil(numbers.length / mostPieces)
    const sum = new Float32Array(dimensions)
    for (let part = 0; part < parts; part += 1) {
      const [from, to] = [part, part + 1].map((at) => Math.round((numbers.length * at) / parts))
      add(sum, encode(numbers.slice(from, to)), dimensions)
    }
    return unit(sum)
  }
}

function normalise(from: Float32Array, { scale, bias }: Norm, rows: number, into: Float32Array) {
  const width = scale.length
  for (let row = 0; row < rows; row += 1) {
    const values = from.subarray(row * width, (row + 1) * width)
    let mean = 0
    for (const value of values) mean += value / width
    let variance = 0
    for (const value of values) variance += (value - mean) ** 2 / width
    const factor = 1 / Math.sqrt(variance + epsilon)
    for (let column = 0; column < width; column += 1) {
      const value = ((values[column] as number) - mean) * factor
      into[row * width + column] = value * (scale[column] as number) + (bias[column] as number)
    }
  }
}

function softmax(values: Float32Array, scale: number) {
  let most = Number.NEGATIVE_INFINITY
  for (const value of values) most = Math.max(most, value)
  let sum = 0
  for (let at = 0; at < values.length; at += 1) {
    const value = Math.exp(((values[at] as number) - most) * scale)
    values[at] = value
    sum += value
  }
  for (let at = 0; at < values.length; at += 1) values[at] = (values[at] as number) / sum
}

function add(into: Float32Array, from: Float32Array, count: number) {
  for (let at = 0; at < count; at += 1) into[at] = (into[at] as number) + (from[at] as number)
}

function unit(vector: Float32Array): Float32Array {
  let square = 0
  for (const value of vector) square += value * value
  return square === 0 ? vector : vector.map((value) => value / Math.sqrt(square))
}
