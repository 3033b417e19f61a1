import { fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { type Memory, newMemory, pack } from './matmul.ts'

/** A matrix in panels at an address in the memory, in bytes, and the bias that is added to each row of a product with it. */
export type Dense = { place: number; inner: number; columns: number; bias: Float32Array }
export type Norm = { scale: Float32Array; bias: Float32Array }
export type Layer = {
  width: number
  before: Norm
  attention: Dense
  output: Dense
  beforeInner: Norm
  widen: Dense
  narrow: Dense
}
export type EncoderWeights = {
  memory: Memory
  /** The address at which memory for the computation begins, in bytes. */
  end: number
  /** Reads the initial vector of one piece. */
  readPiece(number: number, into: Float32Array): void
  /** Frequencies of the position encoding, one for each pair of sine and cosine. */
  turns: Float32Array
  layers: Layer[]
  /** Makes the first layer's input as wide as its output. */
  widenInput: Dense
  last: Dense
}

type Manifest = { weightsManifest: { paths: string[]; weights: { name: string; shape: number[] }[] }[] }
const alignment = 16
const floatBytes = 4
const piecesName = 'module/Embeddings_en'

/**
 * Reads the encoder's weights from its folder, directly into the memory in which they are used. The vectors of the pieces, a third of all weights,
 * stay on disk, because a text needs few of them.
 * @param roomBytes memory to reserve after the weights. @throws Error if the folder does not have all of them.
 */
export function readWeights(folder: string, roomBytes: number): EncoderWeights {
  const { weightsManifest } = JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8')) as Manifest
  const all = weightsManifest.flatMap(({ weights }) => weights)
  const file = openParts(weightsManifest.flatMap(({ paths }) => paths).map((path) => join(folder, path)))
  const sizeOf = ({ shape }: { shape: number[] }) => shape.reduce((product, side) => product * side, 1)
  const bytes = all.reduce((sum, tensor) => sum + sizeOf(tensor) * floatBytes, 0)
  if (file.bytes !== bytes) throw new Error(`The model has ${file.bytes} bytes of weights, where it names ${bytes}.`)
  const pieces = all.find(({ name }) => name === piecesName)
  const end = Math.ceil((bytes - (pieces === undefined ? 0 : sizeOf(pieces) * floatBytes)) / alignment) * alignment
  const memory = newMemory(end + roomBytes)

  const tensors = new Map<string, { place: number; shape: number[]; size: number }>()
  let [from, place, piecesFrom] = [0, 0, 0]
  for (const tensor of all) {
    const size = sizeOf(tensor)
    if (tensor === pieces) piecesFrom = from
    else {
      file.read(from, new Uint8Array(memory.buffer, place, size * floatBytes))
      const name = tensor.name.replace(/^module(_apply_default)?\/Encoder_en\//, '')
      tensors.set(name, { place, shape: tensor.shape, size })
      place += size * floatBytes
    }
    from += size * floatBytes
  }

  const found = (name: string) => {
    const tensor = tensors.get(name)
    if (tensor === undefined) throw new Error(`The model has no ${name}.`)
    return { ...tensor, values: new Float32Array(memory.buffer, tensor.place, tensor.size) }
  }
  const unpacked = new Float32Array(Math.max(...[...tensors.values()].map(({ size }) => size)))
  const dense = (matrix: string, bias: string): Dense => {
    const { place, shape, values } = found(matrix)
    const [inner = 0, columns = 0] = shape.slice(-2)
    unpacked.set(values)
    pack(unpacked, values, { rows: inner, columns })
    return { place, inner, columns, bias: found(bias).values }
  }
  const whole = (name: string) => `${name}/ConcatPartitions/concat`
  const layer = (number: number): Layer => {
    const kept = `KonaTransformer/Encode/Layer_${number}/TransformerLayer`
    const used = `KonaTransformer/Encode/TransformerStack/Layer_${number}/TransformerLayer`
    const norm = (place: string): Norm => ({
      scale: found(whole(`${kept}${place}/layer_prepostprocess/layer_norm/layer_norm_scale`)).values,
      bias: found(whole(`${kept}${place}/layer_prepostprocess/layer_norm/layer_norm_bias`)).values,
    })
    const heads = (part: string) =>
      dense(
        `${kept}/MultiheadAttention/${part}_transform_single/kernel/part_0`,
        whole(`${kept}/MultiheadAttention/${part}_transform_single/bias`),
      )
    const inner = (part: string) => dense(`${used}/FFN/${part}/Tensordot/Reshape_1`, whole(`${kept}/FFN/${part}/bias`))
    const before = norm('')
    return {
      width: before.scale.length,
      before,
      attention: heads('qkv'),
      output: heads('output'),
      beforeInner: norm('/FFN'),
      widen: inner('conv1'),
      narrow: inner('conv2'),
    }
  }
  const first = 'KonaTransformer/Encode/Layer_0/TransformerLayer/dense'
  return {
    memory,
    end,
    readPiece: (number, into) =>
      file.read(
        piecesFrom + number * into.length * floatBytes,
        new Uint8Array(into.buffer, into.byteOffset, into.byteLength),
      ),
    turns: found('KonaTransformer/Encode/TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1').values,
    layers: [layer(0), layer(1)],
    widenInput: dense(whole(`${first}/kernel`), whole(`${first}/bias`)),
    last: dense('hidden_layers/tanh_layer_0/weights', 'hidden_layers/tanh_layer_0/bias'),
  }
}

/** Opens files that are parts of one file. They stay open as long as the thread lives. */
function openParts(paths: readonly string[]) {
  let bytes = 0
  const parts = paths.map((path) => {
    const file = openSync(path, 'r')
    const part = { file, from: bytes }
    bytes += fstatSync(file).size
    return part
  })
  return {
    bytes,
    /** @throws Error if a part has become shorter. */
    read(from: number, into: Uint8Array) {
      for (let filled = 0; filled < into.length; ) {
        const at = from + filled
        const part = parts.findLast((each) => each.from <= at)
        const got = part === undefined ? 0 : readSync(part.file, into, { offset: filled, position: at - part.from })
        if (got === 0) throw new Error('The model was cut short.')
        filled += got
      }
    },
  }
}
