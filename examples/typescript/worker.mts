import { fileURLToPath } from 'node:url';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection, Worker } from '@temporalio/worker';
import { loadConfig, PaymentGatewayPlugin } from 'temporal-payment-gateway';

const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
const connection = await NativeConnection.connect(connectionOptions);
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue: 'shop',
  workflowsPath: fileURLToPath(new URL('./workflows.ts', import.meta.url)),
  plugins: [new PaymentGatewayPlugin(loadConfig(process.env))],
  shutdownGraceTime: '60 seconds', // a call to the gateway that is under way gets its answer
});
await worker.run();
await connection.close();
