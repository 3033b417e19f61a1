import { expect, test } from 'vitest'
import { type SecretPlaces, secretsOf } from './attached-secrets.ts'

const rows: [what: string, entry: SecretPlaces, secrets: string[]][] = [
  [
    'names that end in or hold the word pass',
    {
      args: ['--db-pass', 'alpha', '--pass=beta', '--passthrough=on'],
      env: { MYSQL_PASS: 'gamma', PASS: 'delta', SSH_PASSPHRASE: 'epsilon', COMPASS: 'north', BYPASS_CACHE: 'x' },
    },
    ['alpha', 'beta', 'delta', 'epsilon', 'gamma'],
  ],
  [
    'names without a separator, and short ones',
    { env: { DBPASS: 'a1', PGPASSWORD: 'b2', adminPass: 'c3', GITHUB_PAT: 'd4', DB_PW: 'e5', MAX_TOKENS: '4096' } },
    ['a1', 'b2', 'c3', 'd4', 'e5'],
  ],
  [
    'words that hold such a part by chance',
    { env: { TOKENIZER: 'bpe', AUTH_SOURCE: 'admin', PATH_PREFIX: '/x', AUTHOR: 'me', LOGIN_AUTH: 'true' } },
    [],
  ],
  [
    'passwords of addresses in env and args',
    {
      env: { DATABASE_URI: 'postgres://u:p%40ss@db:5432/x?sslmode=disable', CACHE: 'redis://:rpw@cache:6379' },
      args: ['mongodb+srv://u:m@ngo@cluster.example.net/db', '--dsn=amqp://guest:gpw@mq:5672', 'git@github.com:a/b'],
    },
    ['gpw', 'm@ngo', 'p%40ss', 'p@ss', 'rpw'],
  ],
  [
    'two addresses in one text',
    { env: { REDIS: 'redis://:one@a:1,redis://:two@b:2', HOSTS: 'mongodb://u:three@h1:27017,h2:27017/db' } },
    ['one', 'three', 'two'],
  ],
  [
    'source names of drivers',
    { args: ['root:s3cret@tcp(127.0.0.1:3306)/app', 'u:pw2@db.lan:3306/app', 'scott/tiger@db.lan:1521/XE'] },
    ['pw2', 's3cret', 'tiger'],
  ],
  [
    'images and packages with a digest or a version',
    { command: 'npx', args: ['-p', '@scope/pkg@1.2.3', 'ghcr.io/x/y:tag@sha256:00ff', 'npm:left-pad@1.0.0', '-y'] },
    [],
  ],
  [
    'connection strings',
    {
      env: {
        A: 'Server=db;User Id=sa;Password=p w,1;Encrypt=true',
        B: 'DefaultEndpointsProtocol=https;AccountName=x;AccountKey=aGk=;EndpointSuffix=core.windows.net',
        C: 'host=db user=me password=libpq dbname=x',
        D: 'cache:6379,password=stack,ssl=True',
        E: 'jdbc:mysql://db/x?user=me&password=jdbc',
      },
    },
    ['aGk=', 'jdbc', 'libpq', 'p w,1', 'stack'],
  ],
  [
    'options',
    {
      command: 'docker',
      args: [
        'run',
        '-p',
        '8080:80',
        '-p',
        '127.0.0.1:1:2/udp',
        '-e',
        'API_KEY=in-e',
        'img',
        '--password',
        'x1',
        '-p',
        'x2',
      ],
    },
    ['in-e', 'x1', 'x2'],
  ],
  [
    'headers among the arguments',
    {
      command: 'npx',
      args: [
        ...['mcp-remote', 'https://m.example/mcp', '--header', 'Authorization: Bearer abc-def', '-H', 'X-Api-Key: k-1'],
        ...['--header=Authorization:Bearer ghi-jkl', '--api-key', 'k-2', '--token=k-3', '-H', 'Accept: text/html'],
      ],
    },
    [...['Bearer abc-def', 'Bearer ghi-jkl', 'abc-def', 'ghi-jkl', 'k-1', 'k-2', 'k-3']],
  ],
  [
    'headers as JSON in a variable',
    { env: { OPENAPI_MCP_HEADERS: '{"Authorization": "Bearer ntn_1", "Notion-Version": "2022-06-28"}' } },
    ['Bearer ntn_1', 'ntn_1'],
  ],
  [
    'values glued to their option',
    { args: ['-p=x1', '-p=8080', '-HAuthorization: Bearer x2', '-H', 'Accept: a'] },
    ['Bearer x2', 'x1', 'x2'],
  ],
  [
    'names of keys, and where to sign in',
    {
      env: {
        A: 'SharedAccessKeyName=Root;SharedAccessKey=x1=',
        KEYCLOAK_URL: 'https://kc',
        TOKEN_ENDPOINT: 'https://u:x2@kc',
      },
    },
    ['u', 'x1=', 'x2'],
  ],
  [
    'a command line in one argument',
    { command: 'sh', args: ['-c', 'PGPASSWORD=one psql; server --password "two" --port 8080 -p 9090'] },
    ['one', 'two'],
  ],
  [
    'an address of a server',
    {
      url: 'https://me:pw@m.example/s/abc123def456ghi789jkl012/mcp?api_key=q1&token=q2&mode=fast',
      headers: { Authorization: 'Bearer hdr', Accept: 'text/html' },
    },
    ['Bearer hdr', 'abc123def456ghi789jkl012', 'hdr', 'me', 'pw', 'q1', 'q2'],
  ],
  [
    'what is to be filled in',
    {
      env: { API_TOKEN: `\${NOTES_TOKEN}`, DB_PASSWORD: `\${DB_PASSWORD:-fallback}` },
      headers: { Authorization: `Bearer \${env:NOTES_TOKEN}` },
      url: `https://m.example/mcp?token=\${input:tok}`,
    },
    [`\${DB_PASSWORD:-fallback}`],
  ],
]

test.each(rows)('of an entry these are secrets: %s', (_what, entry, secrets) => {
  expect(secretsOf(entry).toSorted()).toEqual(secrets)
})
