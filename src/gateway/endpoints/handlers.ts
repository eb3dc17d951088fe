import { serveBatches } from '../batches/batches.ts';
import { serveFiles } from '../batches/files.ts';
import { serveMessageBatches } from '../batches/message-batches.ts';
import { serveUpload } from '../batches/serve-upload.ts';
import type { JobRequest, JobRequestEnd } from '../jobs/job-request.ts';
import { refuseUnservedVideos, serveVideos } from '../jobs/videos.ts';
import type { ObjectId } from './contract.ts';
import { serveConversation } from './conversations.ts';
import { serveModels } from './models.ts';
import { serveStored } from './stored-responses.ts';

type Handler = (entered: JobRequest) => Promise<JobRequestEnd>;

/** Who serves a request that is not a call. A row without a handler does not compile. */
export const HANDLERS: Readonly<Record<ObjectId, Handler>> = {
  listModelsOfKey: serveModels,
  getModelOfKey: serveModels,
  listModelsForGoogle: serveModels,
  getModelForGoogle: serveModels,
  getResponse: serveStored,
  deleteResponse: serveStored,
  listInputOfResponse: serveStored,
  cancelResponse: serveStored,
  createConversation: serveConversation,
  getConversation: serveConversation,
  updateConversation: serveConversation,
  deleteConversation: serveConversation,
  listItemsOfConversation: serveConversation,
  addItemsToConversation: serveConversation,
  getItemOfConversation: serveConversation,
  deleteItemOfConversation: serveConversation,
  listVideos: serveVideos,
  getVideo: serveVideos,
  deleteVideo: serveVideos,
  getVideoContent: serveVideos,
  remixVideo: refuseUnservedVideos,
  editVideo: refuseUnservedVideos,
  extendVideo: refuseUnservedVideos,
  createVideoCharacter: refuseUnservedVideos,
  getVideoCharacter: refuseUnservedVideos,
  uploadFile: serveUpload,
  listFiles: serveFiles,
  getFile: serveFiles,
  deleteFile: serveFiles,
  getFileContent: serveFiles,
  listBatches: serveBatches,
  getBatch: serveBatches,
  cancelBatch: serveBatches,
  listMessageBatches: serveMessageBatches,
  getMessageBatch: serveMessageBatches,
  deleteMessageBatch: serveMessageBatches,
  cancelMessageBatch: serveMessageBatches,
  getMessageBatchResults: serveMessageBatches,
};
