export { createEncoderThread, type EncoderThread, type StartThread } from './encoder-thread.ts'
export { installedModel } from './installed-model.ts'
export { passageVector } from './passage-vector.ts'
export { dimensions, encoderId, openSentenceEncoder, type SentenceEncoder } from './sentence-encoder.ts'
