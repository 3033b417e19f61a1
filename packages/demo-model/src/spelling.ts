import { editsBetween } from 'node-kit/nearest'

/** Words that questions depend on. A similar word in a message is corrected to one of them. */
const vocabulary =
  `backup backups temperature temperatures memory storage storages cluster running stopped container containers virtual machines
  status health healthy everything anything problem problems happened quorum recent tasks overheating missing failed processor
  resources virtual restart reboot guests nodes busiest fullest largest tonight yesterday morning reachable
  remember uptime`.split(/\s+/)
const known = new Set(vocabulary)

/** Corrects typing errors in words of the vocabulary. Names and other words are not changed. */
export const spelled = (text: string, isName: (word: string) => boolean): string =>
  text.replace(/[\p{L}']{5,}/gu, (word) => {
    const lower = word.toLowerCase()
    if (known.has(lower) || isName(lower)) return word
    const most = lower.length < 8 ? 1 : 2
    const near = vocabulary.filter(
      (candidate) => Math.abs(candidate.length - lower.length) <= most && editsBetween(lower, candidate) <= most,
    )
    // Words such as `restarting` and `stopping` are correct.
    return near.length > 0 && !vocabulary.some((candidate) => lower.startsWith(candidate)) ? (near[0] ?? word) : word
  })
