import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { type Memory, newMemory, pack } from './matmul.ts'

/** A matrix in panels at a place in the memory, in bytes, and what is added to each row of a product with it. */
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
  /** Where room for the computation begins, in bytes. */
  end: number
  pieces: Float32Array
  /** How fast each pair of a place's numbers turns. */
  turns: Float32Array
  layers: Layer[]
  /** Makes the first layer's input as wide as its output. */
  widenInput: Dense
  last: Dense
}

type Manifest = { weightsManifest: { paths: string[]; weights: { name: string; shape: number[] }[] }[] }
const alignment = 16
const floatBytes = 4

/**
 * The encoder's weights as its folder has them, read straight into the memory they are computed in.
 * @param roomBytes what to leave behind them. @throws Error where the folder has not all of them.
 */
export function readWeights(folder: string, roomBytes: number): EncoderWeights {
  const { weightsManifest } = JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8')) as Manifest
  const tensors = new Map<string, { place: number; shape: number[]; size: number }>()
  let bytes = 0
  for (const { name, shape } of weightsManifest.flatMap(({ weights }) => weights)) {
    const size = shape.reduce((product, side) => product * side, 1)
    tensors.set(name.replace(/^module(_apply_default)?\/Encoder_en\//, ''), { place: bytes, shape, size })
    bytes += size * floatBytes
  }
  const end = Math.ceil(bytes / alignment) * alignment
  const memory = newMemory(end + roomBytes)
  let filled = 0
  for (const path of weightsManifest.flatMap(({ paths }) => paths)) {
    filled += readInto(join(folder, path), new Uint8Array(memory.buffer, filled))
  }
  if (filled !== bytes) throw new Error(`The model has ${filled} bytes of weights, where it names ${bytes}.`)

  const found = (name: string) => {
    const tensor = tensors.get(name)
    if (tensor === undefined) throw new Error(`The model has no ${name}.`)
    return { ...tensor, values: new Float32Array(memory.buffer, tensor.place, tensor.size) }
  }
  const dense = (matrix: string, bias: string): Dense => {
    const { place, shape, values } = found(matrix)
    const [inner = 0, columns = 0] = shape.slice(-2)
    pack(values.slice(), inner, columns, values)
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
    pieces: found('module/Embeddings_en').values,
    turns: found('KonaTransformer/Encode/TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1').values,
    layers: [layer(0), layer(1)],
    widenInput: dense(whole(`${first}/kernel`), whole(`${first}/bias`)),
    last: dense('hidden_layers/tanh_layer_0/weights', 'hidden_layers/tanh_layer_0/bias'),
  }
}

/** @returns how many bytes the file has. */
function readInto(path: string, into: Uint8Array): number {
  const file = openSync(path, 'r')
  try {
    let filled = 0
    for (let got = -1; got !== 0 && filled < into.length; filled += got) got = readSync(file, into, { offset: filled })
    return filled
  } finally {
    closeSync(file)
  }
}
