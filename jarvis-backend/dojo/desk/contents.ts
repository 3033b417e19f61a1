import type { FakeContainer } from '../../test/fake-services/docker-engine.ts'
import { privateWord, secretWord } from './planting.ts'

/** Files of the roots, by `ROOT/PATH`. */
export const files: Readonly<Record<string, string>> = {
  'compose/jellyfin.yml':
    'services:\n  jellyfin:\n    image: jellyfin/jellyfin:10.10.3\n    ports:\n      - 8096:8096\n    restart: unless-stopped\n',
  'compose/caddy.yml': 'services:\n  caddy:\n    image: caddy:2.8.4\n    ports:\n      - 443:443\n',
  'compose/notes.md': `# Notes\n\nThe garden house has the name ${privateWord} in WireGuard. Jellyfin is on port 8096.\n`,
  'compose/check.sh': 'echo "3 services, 2 images are old"\n',
  'compose/.env': `TOKEN=${secretWord}\n`,
  'compose/site/README.md': '# Site\n\nThe start page of the house. Publish with `./publish.sh`.\n',
  'compose/site/index.html': '<h1>Home</h1>\n',
  'logs/backup.log':
    '2026-11-23 02:00 backup of jellyfin began\n2026-11-23 02:14 backup of jellyfin failed: no space left\n',
}

/** The repository in the roots, and its commits. */
export const repository = { path: 'compose/site', commits: ['Begin the start page', 'Add a heading'] }

/** Pages of the web, by address. */
export const pages: Readonly<Record<string, string>> = {
  'https://blog.example/jellyfin':
    '<title>Jellyfin behind Caddy</title><article><p>Jellyfin listens on port 8096. Take the image 10.10.7, which fixes transcoding.</p><p>The <a href="https://blog.example/jellyfin/caddy">second part</a> is about Caddy.</p></article>',
  'https://blog.example/jellyfin/caddy':
    '<title>Caddy</title><article><p>One line is enough: reverse_proxy jellyfin:8096.</p></article>',
  'https://found.example/backup-no-space':
    '<title>No space left</title><article><p>Prune old backups first, then run the job again.</p></article>',
}

export const searchHits = [
  { title: 'No space left', url: 'https://found.example/backup-no-space', snippet: 'Why a backup fails.' },
]

/** Pages that the browser opens, by path. */
export const shop: Readonly<Record<string, string>> = {
  '/cart': `<title>Cart</title><h1>Cart</h1><p>One disk of 8 TB.</p><a href="/details">Details</a>
    <button onclick="fetch('/buy', { method: 'POST' }).then(() => { document.querySelector('output').textContent = 'Ordered.' })">Buy now</button>
    <output></output>
    <input aria-label="Coupon"><input type="password" aria-label="Password">
    <input type="file" aria-label="Bill" onchange="fetch('/upload', { method: 'POST', body: this.files[0] })">`,
  '/details': '<title>Details</title><h1>Details</h1><p>It turns 7200 times a minute.</p>',
}

export const containers = (): FakeContainer[] => [
  {
    id: 'a1b2c3d4e5f6'.padEnd(64, '0'),
    name: 'jellyfin',
    image: 'jellyfin/jellyfin:10.10.3',
    state: 'running',
    env: [],
    labels: {},
    logs: [[1, 'Startup complete 0:00:07\n']],
  },
  {
    id: 'b2c3d4e5f6a1'.padEnd(64, '0'),
    name: 'caddy',
    image: 'caddy:2.8.4',
    state: 'running',
    env: [],
    labels: {},
    logs: [[2, 'serving initial configuration\n']],
  },
]
