const part = (at: number) => `## Look ${at}

The node **pve** runs eight guests and 123 frigate takes most of its CPU. Since 02:1${at % 10} it decodes on the CPU, for the
\`/dev/dri\` device is gone, so \`pve\` stands at 81 °C and *throttles*. Nothing else on the cluster is hot.

- 123 frigate: 388 % CPU, ffmpeg
- 122 sabnzbd: unpacks, 40 %
- 104 jellyfin: idle, [see the docs](https://jellyfin.org/docs)

| guest | node | CPU | memory |
|---|---|---:|---:|
| 123 frigate | pve | 97 % | 5.4 GiB |
| 122 sabnzbd | pve | 40 % | 1.1 GiB |
| 104 jellyfin | pve | 2 % | 0.8 GiB |

\`\`\`bash
qm config 123 | grep hostpci
for id in 122 123; do qm status "$id" --verbose; done
\`\`\`

1. Give the device back to the guest.
2. Restart it, which waits for you.

`

/** An answer with all that an answer holds, of at least so many characters. */
export function answerOf(chars: number): string {
  let text = ''
  for (let at = 1; text.length < chars; at++) text += part(at)
  return text
}

/** The same in pieces as a model's tokens come, about four characters each. */
export const tokensOf = (count: number): string[] =>
  answerOf(count * 4)
    .match(/[\s\S]{4}/g)
    ?.slice(0, count) ?? []
