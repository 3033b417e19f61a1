import { JarvisError } from 'protocol'
import type { IncomingText } from '../channel.ts'
import type { ChannelDirectory } from '../open-channels.ts'
import type { Recipient } from '../ports.ts'
import type { TalkPorts } from './ports.ts'

const mostFileBytes = 10 * 1024 * 1024
const fileForMs = 20_000
/** Longest forwarded or quoted text of another person, characters. */
const mostForeign = 20_000

export type KeptFilesParts = {
  talk: Pick<TalkPorts, 'upload'>
  directory: Pick<ChannelDirectory, 'channel'>
  signal: AbortSignal
}

/**
 * Stores the files of a message until the message is sent. Words of other people that the person forwarded or quoted become files too, so that the
 * model treats them as data.
 */
export class KeptFiles {
  readonly #parts: KeptFilesParts

  constructor(parts: KeptFilesParts) {
    this.#parts = parts
  }

  /** Stores the files. @returns their ids @throws JarvisError, or Error with a message for people */
  async keep({ files = [], foreign = [] }: IncomingText, to: Recipient): Promise<string[]> {
    const { talk } = this.#parts
    const open = this.#parts.directory.channel(to.channel)?.channel
    const ids: string[] = []
    for (const { ref, name, bytes = 0 } of files) {
      if (bytes > mostFileBytes || open?.file === undefined)
        throw new JarvisError('message_too_large', `${name} is too large: a file may have 10 MB.`)
      const signal = AbortSignal.any([this.#parts.signal, AbortSignal.timeout(fileForMs)])
      ids.push(await talk.upload(to.person, { name, data: await open.file(ref, mostFileBytes, signal) }))
    }
    for (const { how, text } of foreign) {
      const data = Buffer.from(text.slice(0, mostForeign).toWellFormed())
      if (data.length > 0) ids.push(await talk.upload(to.person, { name: `${how}.txt`, data }))
    }
    return ids
  }
}
