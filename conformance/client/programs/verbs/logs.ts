import { connect } from '@binnacle/client'

await using client = await connect()

for await (const line of client.logs('default/web', { container: 'app', follow: true, tail: 10 })) console.log(line)
