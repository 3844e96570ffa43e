/* Written by assay-fit-prediction --model (tools/prediction/) from 188 cases; docs/prediction.md says how good it is. */
#include "counts/predict.h"

const predict_model predict_fitted = {
    .factor = {1.23, 0.9737, 0.8372, 1.148, 0.9507, 0.7943, 3.394, 112.9, 174.3},
    .norm = 1.627,
    .low = 0.833,
    .high = 1.25,
};
