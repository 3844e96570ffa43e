# A roofline with its data. Draw it again: gnuplot roofline_conv2d.gp
if (!exists("svg")) svg = "roofline_conv2d.svg"
if (!exists("png")) png = "roofline_conv2d.png"
set encoding utf8
$points << EOD
228.942 3.35506e+12
548.302 7.32436e+13
1126.84 3.37461e+14
125.306 1.95198e+13
290.782 1.02636e+14
51.8163 2.27138e+13
985.401 1.69705e+14
1140.99 6.84001e+14
126.88 2.81282e+13
294.435 2.65212e+14
52.4673 1.09101e+14
997.78 3.58459e+14
231.818 3.33268e+12
555.19 6.88919e+13
1155.33 3.18402e+14
128.474 1.82959e+13
298.134 9.81782e+13
53.1264 2.86484e+13
1010.31 1.70657e+14
1155.33 4.89633e+14
128.474 2.4478e+13
298.134 1.73929e+14
53.1264 3.14667e+13
1010.31 2.69207e+14
110.263 8.23667e+11
546.107 1.13661e+12
217.79 7.81358e+11
521.594 1.03537e+12
1071.95 1.0793e+12
119.202 1.23526e+12
276.618 1.05448e+12
49.2924 4.72788e+11
937.403 1.08e+12
111.648 1.88155e+12
552.967 5.15533e+12
220.526 1.87699e+12
528.147 4.75028e+12
1085.42 5.10673e+12
120.7 4.38715e+12
280.093 4.99481e+12
49.9116 3.9586e+12
949.179 4.96578e+12
113.051 6.40469e+11
559.914 7.69421e+12
223.297 1.03462e+12
534.781 1.07915e+13
1099.05 1.45316e+13
122.216 1.03045e+13
283.612 1.39652e+13
50.5386 1.10366e+13
961.102 1.27121e+13
114.471 1.91793e+12
566.947 4.22475e+13
226.102 1.04999e+13
541.499 1.6498e+14
1112.86 5.64312e+14
123.751 2.12401e+14
287.174 2.28665e+14
51.1735 1.25358e+14
973.176 2.87624e+14
1112.86 7.03871e+14
123.751 2.19849e+14
287.174 3.75789e+14
51.1735 1.22557e+14
973.176 4.0789e+14
EOD
$lines << EOD
5 4.0022e+13
121.075 9.69134e+14


5 1.50698e+13
321.548 9.69134e+14


5 1.55835e+13
310.948 9.69134e+14


121.075 9.69134e+14
5000 9.69134e+14


38.3714 3.0714e+14
5000 3.0714e+14


215.089 7.00307e+14
234.73 7.00307e+14


117.723 3.85695e+14
130.088 3.85695e+14


273.186 8.95038e+14
301.879 8.95038e+14


48.6809 1.59493e+14
53.7937 1.59493e+14


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [5:5000]
set yrange [2e+11:2e+15]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of conv2d: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.00 TB/s' at 5.40235, 5.14927e+13 left rotate by 28.5 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.01 TB/s' at 5.89499, 1.44085e+13 left rotate by 28.5 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.12 TB/s' at 5.40235, 2.00499e+13 left rotate by 28.5 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor bf16 969 TFLOP/s' at 4677.94, 1.12993e+15 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor f16 / 3 307 TFLOP/s' at 4677.94, 3.58099e+14 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 5-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 6-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 7-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 8-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 9-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $points every ::1-1::1-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.88 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.96 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.05 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.13 linewidth 1.8 notitle, \
  $points every ::6-1::6-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.21 linewidth 1.8 notitle, \
  $points every ::7-1::7-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.29 linewidth 1.8 notitle, \
  $points every ::8-1::8-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.37 linewidth 1.8 notitle, \
  $points every ::9-1::9-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.45 linewidth 1.8 notitle, \
  $points every ::10-1::10-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.54 linewidth 1.8 notitle, \
  $points every ::11-1::11-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.62 linewidth 1.8 notitle, \
  $points every ::12-1::12-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::13-1::13-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::14-1::14-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.88 linewidth 1.8 notitle, \
  $points every ::15-1::15-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.96 linewidth 1.8 notitle, \
  $points every ::16-1::16-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.05 linewidth 1.8 notitle, \
  $points every ::17-1::17-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.13 linewidth 1.8 notitle, \
  $points every ::18-1::18-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.21 linewidth 1.8 notitle, \
  $points every ::19-1::19-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.29 linewidth 1.8 notitle, \
  $points every ::20-1::20-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.37 linewidth 1.8 notitle, \
  $points every ::21-1::21-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.45 linewidth 1.8 notitle, \
  $points every ::22-1::22-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.54 linewidth 1.8 notitle, \
  $points every ::23-1::23-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.62 linewidth 1.8 notitle, \
  $points every ::24-1::24-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::25-1::25-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::26-1::26-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::27-1::27-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::28-1::28-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.88 linewidth 1.0 notitle, \
  $points every ::29-1::29-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::30-1::30-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.05 linewidth 1.0 notitle, \
  $points every ::31-1::31-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.13 linewidth 1.0 notitle, \
  $points every ::32-1::32-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.21 linewidth 1.0 notitle, \
  $points every ::33-1::33-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.29 linewidth 1.0 notitle, \
  $points every ::34-1::34-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::35-1::35-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::36-1::36-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::37-1::37-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.88 linewidth 1.0 notitle, \
  $points every ::38-1::38-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::39-1::39-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.05 linewidth 1.0 notitle, \
  $points every ::40-1::40-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.13 linewidth 1.0 notitle, \
  $points every ::41-1::41-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.21 linewidth 1.0 notitle, \
  $points every ::42-1::42-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.29 linewidth 1.0 notitle, \
  $points every ::43-1::43-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::44-1::44-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::45-1::45-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::46-1::46-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.88 linewidth 1.0 notitle, \
  $points every ::47-1::47-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::48-1::48-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.05 linewidth 1.0 notitle, \
  $points every ::49-1::49-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.13 linewidth 1.0 notitle, \
  $points every ::50-1::50-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.21 linewidth 1.0 notitle, \
  $points every ::51-1::51-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.29 linewidth 1.0 notitle, \
  $points every ::52-1::52-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::53-1::53-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::54-1::54-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::55-1::55-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.88 linewidth 1.0 notitle, \
  $points every ::56-1::56-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::57-1::57-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.05 linewidth 1.0 notitle, \
  $points every ::58-1::58-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.13 linewidth 1.0 notitle, \
  $points every ::59-1::59-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.21 linewidth 1.0 notitle, \
  $points every ::60-1::60-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.29 linewidth 1.0 notitle, \
  $points every ::61-1::61-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.37 linewidth 1.0 notitle, \
  $points every ::62-1::62-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.45 linewidth 1.0 notitle, \
  $points every ::63-1::63-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.54 linewidth 1.0 notitle, \
  $points every ::64-1::64-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.62 linewidth 1.0 notitle, \
  $points every ::65-1::65-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.70 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'cudnn', \
  NaN with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.6 title 'cudnn_nhwc', \
  NaN with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.88 linewidth 1.6 title 'medium', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.96 linewidth 1.6 title 'large', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.05 linewidth 1.6 title 'resnet_stem', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.13 linewidth 1.6 title 'resnet_conv2', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.21 linewidth 1.6 title 'resnet_conv2_expand', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.29 linewidth 1.6 title 'resnet_conv4', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.37 linewidth 1.6 title 'large_nhwc', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.45 linewidth 1.6 title 'resnet_stem_nhwc', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.54 linewidth 1.6 title 'resnet_conv2_nhwc', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.62 linewidth 1.6 title 'resnet_conv2_expand_nhwc', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.70 linewidth 1.6 title 'resnet_conv4_nhwc'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
