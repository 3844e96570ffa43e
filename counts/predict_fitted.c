/* Written by assay-fit-prediction --model (tools/prediction/) from 188 cases; docs/prediction.md says how good it is. */
#include "counts/predict.h"

const predict_model predict_fitted = {
    .factor = {1.244, 1.086, 0.9825, 1.262, 1.448, 0.8712, 3.776, 134.1},
    .norm = 2.289,
    .low = 0.818,
    .high = 1.25,
};
