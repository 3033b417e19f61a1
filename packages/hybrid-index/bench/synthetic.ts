/**
 * Number of values in a vector. This module makes texts and vectors distributed like those of a large homelab: topics on hosts, with everyday words
 * in between; the same in every run.
 */
export const dimensions = 384
const topics = 100
const hosts = 20
const topicWords = 6
const everydayWords = 30_000
/** Distance of a text from its topic and host. With this value, vectors alone find about nine in ten relevant texts. */
const textNoise = 1.4
const queryNoise = 1.2

export type Synthetic = { text: string; vector: Float32Array; topic: number; host: number }

export function createSynthetic(seed: number, wordsInText: number) {
  let state = seed
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const pick = (count: number) => Math.floor(random() * count)
  const normal = () => (random() + random() + random() + random() - 2) * Math.sqrt(3)
  const direction = () => Float32Array.from({ length: dimensions }, normal)
  const topicAxes = Array.from({ length: topics }, direction)
  const hostAxes = Array.from({ length: hosts }, direction)
  const everyday = () => `w${Math.floor(everydayWords ** random())}`

  function vectorOf(topic: number, host: number, noise: number): Float32Array {
    const one = topicAxes[topic] as Float32Array
    const other = hostAxes[host] as Float32Array
    const vector = one.map((value, at) => value + 0.6 * (other[at] as number) + noise * normal() + 0.3)
    const length = Math.hypot(...vector)
    return vector.map((value) => value / length)
  }

  return {
    text(at: number): Synthetic {
      const topic = at % topics
      const host = Math.floor(at / topics) % hosts
      const words = Array.from({ length: wordsInText }, () =>
        random() < 0.22 ? `t${topic}x${pick(topicWords)}` : random() < 0.05 ? `host${host}` : everyday(),
      )
      words.splice(pick(words.length), 0, `host${host}`)
      return { text: words.join(' '), vector: vectorOf(topic, host, textNoise), topic, host }
    },
    /** Makes a query like a person's: three words of the topic, the host, and two everyday words. */
    query(): Synthetic {
      const topic = pick(topics)
      const host = pick(hosts)
      const own = Array.from({ length: 3 }, () => `t${topic}x${pick(topicWords)}`)
      return {
        text: [...own, `host${host}`, everyday(), everyday()].join(' '),
        vector: vectorOf(topic, host, queryNoise),
        topic,
        host,
      }
    },
  }
}

export const isRelevant = (one: Synthetic, other: Synthetic) => one.topic === other.topic && one.host === other.host
